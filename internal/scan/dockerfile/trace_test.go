package dockerfile

import (
	"fmt"
	"strings"
	"testing"
)

const traced = `ARG TAG=13
FROM golang:1.26 AS build
RUN go build ./...
FROM debian:$TAG AS base
ENV LANG=C.UTF-8
RUN apt-get update && \
    # why
    apt-get install -y "git"
FROM base
ARG V=1
ARG T
COPY --chown=1000 id_rsa* $V/ /root/.ssh/
ENV A=b C="d $V"
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
RUN rm /root/.ssh/id_rsa
RUN <<EOF
echo one
echo two
EOF
COPY --from=build /bin/x /bin/x
COPY <<F1 /f1
x
F1
EXPOSE 22 8000-8001
VOLUME /data
HEALTHCHECK --start-period=10s CMD ["true", "x"]
WORKDIR app
USER ${U}
CMD ["x", "y z"]
`

func TestTrace(t *testing.T) {
	b := build(t, traced, "")
	for _, tt := range []struct {
		name    string
		history string // "line entry"; 0 for unknown
	}{
		{"buildkit: D24, D73", `
0 # debian.sh --arch 'amd64' out/ 'trixie'
0 ENV LANG=C.UTF-8
0 CMD ["bash"]
5 ENV LANG=C.UTF-8
6 RUN /bin/sh -c apt-get update &&     apt-get install -y "git" # buildkit
10 ARG V=1
11 ARG T
12 COPY --chown=1000 id_rsa* 1/ /root/.ssh/ # buildkit
13 ENV A=b C=d 1
14 SHELL [/bin/bash -o pipefail -c]
15 RUN |2 V=1 T= /bin/bash -o pipefail -c rm /root/.ssh/id_rsa # buildkit
16 RUN |2 V=1 T=a b /bin/bash -o pipefail -c echo one\necho two\n # buildkit
20 COPY /bin/x /bin/x # buildkit
21 COPY <<F1 /f1 # buildkit
24 EXPOSE [22/tcp 8000/tcp 8001/tcp]
25 VOLUME [/data]
26 HEALTHCHECK {Test:[CMD true x] Interval:0s Timeout:0s StartPeriod:10s StartInterval:0s Retries:0}
27 WORKDIR /app
28 USER 1000
29 CMD ["x" "y z"]`},
		{"kaniko", `
0 CMD ["bash"]
6 RUN apt-get update &&     apt-get install -y "git"
12 COPY --chown=1000 id_rsa* $V/ /root/.ssh/
15 RUN rm /root/.ssh/id_rsa
16 RUN <<EOF (echo one...)
20 COPY --from=build /bin/x /bin/x
29 CMD ["x", "y z"]`},
		{"lines were edited since, or are missing", `
0 RUN /bin/sh -c apt-get update && apt-get install -y curl # buildkit
0 ENV LANG=C.UTF-8
12 COPY id_rsa* 1/ /root/.ssh/ # buildkit
13 ENV A=b C=d 1
14 SHELL [/bin/bash -o pipefail -c]
0 RUN |1 V=1 /bin/bash -o pipefail -c rm -f /root/.ssh/id_rsa # buildkit
20 COPY /bin/x /bin/x # buildkit`},
		{"another image that shares a line with it", `
0 ENV LANG=C.UTF-8
0 RUN /bin/sh -c a # buildkit
0 RUN /bin/sh -c b # buildkit
0 RUN /bin/sh -c c # buildkit
0 RUN /bin/sh -c d # buildkit
0 RUN /bin/sh -c e # buildkit
0 RUN /bin/sh -c f # buildkit
0 RUN /bin/sh -c g # buildkit`},
		{"no Dockerfile made it", "\n0 bazel build //:x\n0 \n0 RUN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkTrace(t, b, tt.history)
		})
	}
}

// checkTrace compares lines with what history says: the line wanted of an entry,
// the entry, and behind " @" the line wanted of its layer, if it has one.
func checkTrace(t *testing.T, b *Build, lines string) {
	t.Helper()
	var history []History
	var want []string
	for _, l := range strings.Split(lines, "\n")[1:] {
		line, by, _ := strings.Cut(l, " ")
		by, layer, ok := strings.Cut(by, " @")
		if !ok {
			layer = "0"
		}
		by, comment, _ := strings.Cut(by, " ;")
		want = append(want, line+" @"+layer)
		history = append(history, History{CreatedBy: strings.ReplaceAll(by, `\n`, "\n"), Comment: comment, Empty: !ok})
	}
	traced, _ := Trace(b, history)
	for i, e := range traced {
		if got := fmt.Sprintf("%d @%d", lineOf(e.Instr), lineOf(e.Layer)); got != want[i] {
			t.Errorf("%s: got %s, want %s", history[i].CreatedBy, got, want[i])
		}
	}
}

func lineOf(in *Instr) int {
	if in == nil {
		return 0
	}
	return in.Span.Start
}

// Histories that are too long to compare are traced at their end.
func TestTraceLong(t *testing.T) {
	const n = maxAligned + 100
	var file strings.Builder
	file.WriteString("FROM a\n")
	var history []History
	for i := range n {
		fmt.Fprintf(&file, "RUN step %d\n", i)
		history = append(history, History{CreatedBy: fmt.Sprintf("RUN /bin/sh -c step %d # buildkit", i)})
	}
	history[500].CreatedBy = "RUN /bin/sh -c other # buildkit"
	traced, _ := Trace(build(t, file.String(), ""), history)
	for i, e := range traced {
		want := i + 2
		if i < 100 || i == 500 {
			want = 0
		}
		if got := lineOf(e.Instr); got != want {
			t.Fatalf("entry %d: got %d, want %d", i, got, want)
		}
	}
}

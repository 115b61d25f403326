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
		{"classic", `
0 /bin/sh -c #(nop) ADD file:0f3c in / 
0 /bin/sh -c #(nop)  CMD ["bash"]
5 /bin/sh -c #(nop)  ENV LANG=C.UTF-8
6 /bin/sh -c apt-get update &&     apt-get install -y "git"
10 /bin/sh -c #(nop)  ARG V=1
11 /bin/sh -c #(nop)  ARG T
12 /bin/sh -c #(nop) COPY --chown=1000:1000 multi:a1b2 in /root/.ssh/ 
13 /bin/sh -c #(nop)  ENV A=b C=d 1
14 /bin/sh -c #(nop)  SHELL [/bin/bash -o pipefail -c]
15 |2 T=x V=1 /bin/bash -o pipefail -c rm /root/.ssh/id_rsa
0 |2 T=x V=1 /bin/bash -o pipefail -c something else
20 /bin/bash -o pipefail -c #(nop) COPY file:ff00 in /bin/x 
24 /bin/bash -o pipefail -c #(nop)  EXPOSE 22/tcp 8000/tcp 8001/tcp
25 /bin/bash -o pipefail -c #(nop)  VOLUME [/data]
26 /bin/bash -o pipefail -c #(nop)  HEALTHCHECK &{["CMD" "true" "x"] "0s" "0s" "10s" '\x00'}
27 /bin/bash -o pipefail -c #(nop) WORKDIR /app
28 /bin/bash -o pipefail -c #(nop)  USER 1000
29 /bin/bash -o pipefail -c #(nop)  CMD ["x" "y z"]`},
		{"buildah", `
0 /bin/sh -c #(nop) CMD ["bash"]
5 /bin/sh -c #(nop) ENV LANG=C.UTF-8
6 |0 /bin/sh -c apt-get update &&     apt-get install -y "git"
10 /bin/sh -c #(nop) ARG V
11 /bin/sh -c #(nop) ARG T
12 /bin/sh -c #(nop) COPY multi:a1b2 in /root/.ssh/ 
13 /bin/sh -c #(nop) ENV A=b C="d $V"
14 /bin/sh -c #(nop) SHELL ["/bin/bash", "-o", "pipefail", "-c"]
15 /bin/bash -o pipefail -c rm /root/.ssh/id_rsa
20 /bin/sh -c #(nop) COPY file:ff00 in /bin/x 
24 /bin/sh -c #(nop) EXPOSE 22 8000-8001
25 /bin/sh -c #(nop) VOLUME /data
26 /bin/sh -c #(nop) HEALTHCHECK --start-period=10s CMD ["true", "x"]
27 /bin/sh -c #(nop) WORKDIR app
28 /bin/sh -c #(nop) USER ${U}
29 /bin/sh -c #(nop) CMD ["x", "y z"]`},
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
12 COPY id_rsa* 1/ /root/.ssh/ # buildkit
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
			var history []History
			var want []string
			for _, l := range strings.Split(tt.history, "\n")[1:] {
				line, by, _ := strings.Cut(l, " ")
				want = append(want, line)
				history = append(history, History{CreatedBy: strings.ReplaceAll(by, `\n`, "\n")})
			}
			got := linesOf(Trace(b, history))
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s: got line %s, want %s", history[i].CreatedBy, got[i], want[i])
				}
			}
		})
	}
}

func linesOf(instrs []*Instr) []string {
	out := make([]string, len(instrs))
	for i, in := range instrs {
		if out[i] = "0"; in != nil {
			out[i] = fmt.Sprint(in.Span.Start)
		}
	}
	return out
}

// Histories that are too long for a table are followed from their end.
func TestTraceLong(t *testing.T) {
	const n = 1100
	var file strings.Builder
	file.WriteString("FROM a\n")
	var history []History
	for i := range n {
		fmt.Fprintf(&file, "RUN step %d\n", i)
		history = append(history, History{CreatedBy: fmt.Sprintf("RUN /bin/sh -c step %d # buildkit", i)})
	}
	history[500].CreatedBy = "RUN /bin/sh -c other # buildkit"
	for i, in := range Trace(build(t, file.String(), ""), history) {
		if (in == nil) != (i == 500) || in != nil && in.Span.Start != i+2 {
			t.Fatalf("entry %d: got %+v", i, in)
		}
	}
}

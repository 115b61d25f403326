package dockerfile

import "testing"

// plainFile needs nothing that only BuildKit has.
const plainFile = `ARG TAG=12
FROM localhost/debian:${TAG} AS base
ENV LANG=C.UTF-8 \
    A="x y"
ARG V=1
ARG T="a b"
RUN echo "one" > /one && \
    # why
    echo two > /two
WORKDIR /app
FROM base
ARG V
SHELL ["/bin/bash", "-c"]
COPY --chown=1000 f* ./
COPY a.txt b.txt /srv/
ADD d /srv/d/
RUN echo 'three' > /three; \
    echo four
RUN --mount=type=bind,source=d,target=/mnt cp /mnt/x /five
RUN ["touch", "/six"]
RUN true
LABEL a=b c="d e"
EXPOSE 22 8000-8001
VOLUME /data
HEALTHCHECK --start-period=10s CMD ["true", "x"]
STOPSIGNAL SIGTERM
ONBUILD RUN echo hi
WORKDIR /app/sub
USER ${U:-1000}
ENTRYPOINT ["/bin/sh"]
CMD ["x", "y z"]
`

// The histories are those that the builders made of plainFile, or, for the classic
// builder and Kaniko, what their sources write.
func TestTraceDialects(t *testing.T) {
	b := build(t, plainFile, "")
	for name, history := range map[string]string{
		"buildah, a layer for each": `
0 /bin/sh -c #(nop) ADD file:4b76515c in / 
0 /bin/sh -c #(nop) CMD ["bash"] @0
3 /bin/sh -c #(nop) ENV LANG=C.UTF-8     A="x y" ;FROM localhost/debian:12
5 /bin/sh -c #(nop) ARG V ;FROM 91b67557b6ce
6 /bin/sh -c #(nop) ARG T V
7 |3 T=a b V=1 /bin/sh -c echo "one" > /one &&     echo two > /two @7
10 /bin/sh -c #(nop) WORKDIR /app
12 /bin/sh -c #(nop) ARG 
13 /bin/sh -c #(nop) SHELL ["/bin/bash", "-c"]
14 /bin/sh -c #(nop) COPY multi:6b31a173 in ./  @14
15 /bin/sh -c #(nop) COPY multi:281fd41e in /srv/  @15
16 /bin/sh -c #(nop) ADD dir:cd38b33c in /srv/d/  @16
17 /bin/sh -c echo 'three' > /three;     echo four @17
19 /bin/sh -c --mount=type=bind,source=d,target=/mnt cp /mnt/x /five @19
20 /bin/sh -c ["touch", "/six"] @20
21 /bin/sh -c true @21
22 /bin/sh -c #(nop) LABEL a=b c="d e"
23 /bin/sh -c #(nop) EXPOSE 22 8000-8001
24 /bin/sh -c #(nop) VOLUME /data
25 /bin/sh -c #(nop) HEALTHCHECK --start-period=10s CMD ["true", "x"]
26 /bin/sh -c #(nop) STOPSIGNAL SIGTERM
27 /bin/sh -c #(nop) ONBUILD RUN echo hi
28 /bin/sh -c #(nop) WORKDIR /app/sub
29 /bin/sh -c #(nop) USER ${U:-1000}
30 /bin/sh -c #(nop) ENTRYPOINT ["/bin/sh"]
31 /bin/sh -c #(nop) CMD ["x", "y z"]`,
		"buildah, later versions": `
0 /bin/sh -c #(nop) CMD ["bash"] @0
3 /bin/sh -c #(nop) ENV LANG=C.UTF-8     A="x y"|inheritLabels=false
5 /bin/sh -c #(nop) ARG V|inheritLabels=false
6 /bin/sh -c #(nop) ARG T V
7 |3 T=a b V=1 /bin/sh -c echo "one" > /one &&     echo two > /two|unsetLabel=true|force-mtime=10 @7
10 /bin/sh -c #(nop) WORKDIR /app
12 /bin/sh -c #(nop) ARG V
13 /bin/sh -c #(nop) SHELL ["/bin/bash", "-c"]
14 /bin/sh -c #(nop) COPY --link multi:6b31a173 in ./ |inheritLabels=false @14
15 /bin/sh -c #(nop) COPY multi:281fd41e in /srv/ |inheritLabels=false @15
16 /bin/sh -c #(nop) ADD dir:cd38b33c in /srv/d/  @16
17 |1 V=1 /bin/sh -c echo 'three' > /three;     echo four @17
19 |1 V=1 /bin/sh -c --mount=type=bind,source=d,target=/mnt cp /mnt/x /five:dir:1a2b @19
20 |1 V=1 /bin/sh -c ["touch", "/six"] @20
21 |1 V=1 /bin/sh -c true @21
22 /bin/sh -c #(nop) LABEL a=b c="d e"
23 /bin/sh -c #(nop) EXPOSE 22 8000-8001
24 /bin/sh -c #(nop) VOLUME /data
25 /bin/sh -c #(nop) HEALTHCHECK --start-period=10s CMD ["true", "x"]
26 /bin/sh -c #(nop) STOPSIGNAL SIGTERM
27 /bin/sh -c #(nop) ONBUILD RUN echo hi
28 /bin/sh -c #(nop) WORKDIR /app/sub
29 /bin/sh -c #(nop) USER ${U:-1000}
30 /bin/sh -c #(nop) ENTRYPOINT ["/bin/sh"]
31 /bin/sh -c #(nop) CMD ["x", "y z"]|inheritLabels=false`,
		"buildah, a layer for each stage": `
0 /bin/sh -c #(nop) CMD ["bash"] @0
3 /bin/sh -c #(nop) ENV LANG=C.UTF-8     A="x y"
5 /bin/sh -c #(nop) ARG V
6 /bin/sh -c #(nop) ARG T V
7 |3 T=a b V=1 /bin/sh -c echo "one" > /one &&     echo two > /two
10 /bin/sh -c #(nop) WORKDIR /app ;FROM localhost/debian:12 @7
12 /bin/sh -c #(nop) ARG 
13 /bin/sh -c #(nop) SHELL ["/bin/bash", "-c"]
14 /bin/sh -c #(nop) COPY multi:6b31a173 in ./ 
15 /bin/sh -c #(nop) COPY multi:281fd41e in /srv/ 
16 /bin/sh -c #(nop) ADD dir:cd38b33c in /srv/d/ 
17 /bin/sh -c echo 'three' > /three;     echo four
19 /bin/sh -c --mount=type=bind,source=d,target=/mnt cp /mnt/x /five
20 /bin/sh -c ["touch", "/six"]
21 /bin/sh -c true
22 /bin/sh -c #(nop) LABEL a=b c="d e"
23 /bin/sh -c #(nop) EXPOSE 22 8000-8001
24 /bin/sh -c #(nop) VOLUME /data
25 /bin/sh -c #(nop) HEALTHCHECK --start-period=10s CMD ["true", "x"]
26 /bin/sh -c #(nop) STOPSIGNAL SIGTERM
27 /bin/sh -c #(nop) ONBUILD RUN echo hi
28 /bin/sh -c #(nop) WORKDIR /app/sub
29 /bin/sh -c #(nop) USER ${U:-1000}
30 /bin/sh -c #(nop) ENTRYPOINT ["/bin/sh"]
31 /bin/sh -c #(nop) CMD ["x", "y z"] @0`,
		"buildah, squashed with its base": `
0 /bin/sh -c #(nop) ARG 
0 /bin/sh -c #(nop) SHELL ["/bin/bash", "-c"]
0 /bin/sh -c #(nop) COPY multi:6b31a173 in ./ 
0 /bin/sh -c #(nop) COPY multi:281fd41e in /srv/ 
0 /bin/sh -c #(nop) ADD dir:cd38b33c in /srv/d/ 
17 /bin/sh -c echo 'three' > /three;     echo four
19 /bin/sh -c --mount=type=bind,source=d,target=/mnt cp /mnt/x /five
20 /bin/sh -c ["touch", "/six"]
21 /bin/sh -c true
22 /bin/sh -c #(nop) LABEL a=b c="d e"
23 /bin/sh -c #(nop) EXPOSE 22 8000-8001
24 /bin/sh -c #(nop) VOLUME /data
25 /bin/sh -c #(nop) HEALTHCHECK --start-period=10s CMD ["true", "x"]
26 /bin/sh -c #(nop) STOPSIGNAL SIGTERM
27 /bin/sh -c #(nop) ONBUILD RUN echo hi
28 /bin/sh -c #(nop) WORKDIR /app/sub
29 /bin/sh -c #(nop) USER ${U:-1000}
30 /bin/sh -c #(nop) ENTRYPOINT ["/bin/sh"]
31 /bin/sh -c #(nop) CMD ["x", "y z"] @0`,
		"classic": `
0 /bin/sh -c #(nop) ADD file:0f3c in /  @0
0 /bin/sh -c #(nop)  CMD ["bash"]
3 /bin/sh -c #(nop)  ENV LANG=C.UTF-8 A=x y
5 /bin/sh -c #(nop)  ARG V=1
6 /bin/sh -c #(nop)  ARG T=a b
7 |2 T=a b V=1 /bin/sh -c echo "one" > /one &&     echo two > /two @7
10 /bin/sh -c #(nop) WORKDIR /app @10
12 /bin/sh -c #(nop)  ARG V
13 /bin/sh -c #(nop)  SHELL [/bin/bash -c]
14 /bin/bash -c #(nop) COPY --chown=1000multi:a1b2 in ./  @14
15 /bin/bash -c #(nop) COPY multi:a1b3 in /srv/  @15
16 /bin/bash -c #(nop) ADD dir:a1b4 in /srv/d/  @16
17 |1 V=2 /bin/bash -c echo 'three' > /three;     echo four @17
19 |1 V=2 /bin/bash -c cp /mnt/x /five @19
20 |1 V=2 touch /six @20
21 |1 V=2 /bin/bash -c true
22 /bin/bash -c #(nop)  LABEL a=b c=d e
23 /bin/bash -c #(nop)  EXPOSE 22/tcp 8000/tcp 8001/tcp
24 /bin/bash -c #(nop)  VOLUME [/data]
25 /bin/bash -c #(nop)  HEALTHCHECK &{["CMD" "true" "x"] "0s" "0s" "10s" '\x00'}
26 /bin/bash -c #(nop)  STOPSIGNAL SIGTERM
27 /bin/bash -c #(nop)  ONBUILD RUN echo hi
28 /bin/bash -c #(nop) WORKDIR /app/sub
29 /bin/bash -c #(nop)  USER 1000
30 /bin/bash -c #(nop)  ENTRYPOINT ["/bin/sh"]
31 /bin/bash -c #(nop)  CMD ["x" "y z"]`,
		"classic, squashed": `
0 /bin/sh -c #(nop) ADD file:0f3c in /  @0
0 /bin/sh -c #(nop)  CMD ["bash"]
3 /bin/sh -c #(nop)  ENV LANG=C.UTF-8 A=x y
5 /bin/sh -c #(nop)  ARG V=1
6 /bin/sh -c #(nop)  ARG T=a b
7 |2 T=a b V=1 /bin/sh -c echo "one" > /one &&     echo two > /two
10 /bin/sh -c #(nop) WORKDIR /app
12 /bin/sh -c #(nop)  ARG V
13 /bin/sh -c #(nop)  SHELL [/bin/bash -c]
14 /bin/bash -c #(nop) COPY --chown=1000multi:a1b2 in ./ 
15 /bin/bash -c #(nop) COPY multi:a1b3 in /srv/ 
16 /bin/bash -c #(nop) ADD dir:a1b4 in /srv/d/ 
17 /bin/bash -c echo 'three' > /three;     echo four
19 /bin/bash -c cp /mnt/x /five
20 touch /six
21 /bin/bash -c true
22 /bin/bash -c #(nop)  LABEL a=b c=d e
23 /bin/bash -c #(nop)  EXPOSE 22/tcp 8000/tcp 8001/tcp
24 /bin/bash -c #(nop)  VOLUME [/data]
25 /bin/bash -c #(nop)  HEALTHCHECK &{["CMD" "true" "x"] "0s" "0s" "10s" "0s" '\x00'}
26 /bin/bash -c #(nop)  STOPSIGNAL SIGTERM
27 /bin/bash -c #(nop)  ONBUILD RUN echo hi
28 /bin/bash -c #(nop) WORKDIR /app/sub
29 /bin/bash -c #(nop)  USER 1000
30 /bin/bash -c #(nop)  ENTRYPOINT ["/bin/sh"]
31 /bin/bash -c #(nop)  CMD ["x" "y z"]
0  ;merge sha256:01 to sha256:02 @0`,
		"buildkit, of a base with triggers": `
0 # debian.sh --arch 'amd64' out/ 'trixie' @0
0 RUN /bin/sh -c echo triggered # buildkit @0
3 ENV LANG=C.UTF-8 A=x y
5 ARG V=1
6 ARG T=a b
7 RUN |2 V=1 T=a b /bin/sh -c echo "one" > /one &&     echo two > /two # buildkit @7
10 WORKDIR /app @10
12 ARG V
13 SHELL [/bin/bash -c]
14 COPY --chown=1000 f* ./ # buildkit @14
15 COPY a.txt b.txt /srv/ # buildkit @15
16 ADD d /srv/d/ # buildkit @16
17 RUN |1 V= /bin/bash -c echo 'three' > /three;     echo four # buildkit @17
19 RUN |1 V= /bin/bash -c cp /mnt/x /five # buildkit @19
20 RUN |1 V= touch /six # buildkit @20
21 RUN |1 V= /bin/bash -c true # buildkit
22 LABEL a=b c=d e
23 EXPOSE [22/tcp 8000/tcp 8001/tcp]
24 VOLUME [/data]
25 HEALTHCHECK {Test:[CMD true x] Interval:0s Timeout:0s StartPeriod:10s StartInterval:0s Retries:0}
26 STOPSIGNAL SIGTERM
28 WORKDIR /app/sub @28
29 USER 1000
30 ENTRYPOINT ["/bin/sh"]
31 CMD ["x" "y z"]`,
		"kaniko": `
0 CMD ["bash"] @0
7 RUN echo "one" > /one &&     echo two > /two @7
10 WORKDIR /app @10
14 COPY --chown=1000 f* ./ @14
15 COPY a.txt b.txt /srv/ @15
16 ADD d /srv/d/ @16
17 RUN echo 'three' > /three;     echo four @17
19 RUN --mount=type=bind,source=d,target=/mnt cp /mnt/x /five @19
20 RUN ["touch", "/six"] @20
28 WORKDIR /app/sub @0`,
		"kaniko, a single layer": `
0 /bin/sh -c #(nop) CMD ["bash"] @0
0 RUN true @0`,
	} {
		t.Run(name, func(t *testing.T) { checkTrace(t, b, history) })
	}
}

// What an ONBUILD does is recorded where it runs, and has the line where it stands.
func TestTraceTriggers(t *testing.T) {
	b := build(t, "FROM debian AS base\nONBUILD RUN trigger a\nONBUILD COPY x /y\nFROM base\nRUN make\n", "")
	checkTrace(t, b, `
0 # debian.sh @0
2 RUN /bin/sh -c trigger a # buildkit @2
3 COPY x /y # buildkit @3
5 RUN /bin/sh -c make # buildkit @5`)
	checkTrace(t, b, `
0 /bin/sh -c #(nop) ADD file:0f3c in /  @0
2 /bin/sh -c #(nop)  ONBUILD RUN trigger a
3 /bin/sh -c #(nop)  ONBUILD COPY x /y
2 /bin/sh -c trigger a @2
3 /bin/sh -c #(nop) COPY file:ab in /y  @3
5 /bin/sh -c make @5`)
}

func TestTraceHeredocs(t *testing.T) {
	b := build(t, "FROM debian\nARG V=1\nRUN <<EOF\necho one\necho two\nEOF\nRUN cat <<A > /a && cat <<B > /b\na\nA\nb\nB\nCOPY <<F /f\nx\nF\nSHELL [\"/bin/ash\", \"-c\"]\nRUN <<EOF\n#!/bin/sh\nx\nEOF\n", "")
	checkTrace(t, b, `
0 # debian.sh @0
2 ARG V=1
3 RUN |1 V=a b=c /bin/sh -c echo one\necho two\n # buildkit @3
7 RUN |1 V=a b=c /bin/sh -c cat <<A > /a && cat <<B > /b\na\nA\nb\nB # buildkit @7
12 COPY <<F /f # buildkit @12
15 SHELL [/bin/ash -c]
16 RUN |1 V=a b=c /bin/ash -c /dev/pipes/EOF # buildkit @16`)
	checkTrace(t, b, `
0 /bin/sh -c #(nop) CMD ["bash"] @0
2 /bin/sh -c #(nop) ARG V
3 |1 V=1 /bin/sh -c <<EOF\necho one\necho two @3
7 |1 V=1 /bin/sh -c cat <<A > /a && cat <<B > /b\na\nb @7
12 /bin/sh -c #(nop) COPY file:ab in /f  @12
15 /bin/sh -c #(nop) SHELL ["/bin/ash", "-c"]
16 |1 V=1 /bin/sh -c <<EOF\n#!/bin/sh\nx @16`)
}

// A build argument may hold what looks like the command of another RUN.
func TestTraceArguments(t *testing.T) {
	b := build(t, "FROM a\nARG V\nRUN make\nRUN echo /bin/sh -c make\n", "")
	checkTrace(t, b, `
2 ARG V=x
3 RUN |1 V=x y=z /bin/sh -c make # buildkit @3
4 RUN |1 V=x y=z /bin/sh -c echo /bin/sh -c make # buildkit @4`)
	checkTrace(t, b, `
0 ARG V=x
0 RUN |1 V=x /bin/sh -c echo /bin/sh -c make # buildkit @0
0 RUN |1 V=/bin/sh -c /bin/sh -c make # buildkit @0`)
}

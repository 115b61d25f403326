package dockerfile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// effect shows what a build leaves, one field a line.
func effect(b *Build) string {
	var s strings.Builder
	fmt.Fprintf(&s, "base %s %v\n", b.Base, b.BaseKnown)
	one := func(name string, v *Setting) {
		if v != nil {
			fmt.Fprintf(&s, "%d %s %s %v\n", v.Instr.Span.Start, name, v.Value, v.Known)
		}
	}
	one("user", b.User)
	one("dir", b.WorkingDir)
	for _, c := range []struct {
		name string
		c    *Command
	}{{"entrypoint", b.Entrypoint}, {"cmd", b.Cmd}, {"health", b.Health}, {"shell", b.Shell}} {
		if c.c != nil {
			fmt.Fprintf(&s, "%d %s %q\n", c.c.Instr.Span.Start, c.name, c.c.Argv())
		}
	}
	for _, list := range []struct {
		name string
		all  []Setting
	}{{"env", b.Env}, {"arg", b.Args}, {"label", b.Labels}, {"expose", b.Expose}, {"volume", b.Volumes}, {"onbuild", b.OnBuild}} {
		for _, v := range list.all {
			fmt.Fprintf(&s, "%d %s %s=%s %v\n", v.Instr.Span.Start, list.name, v.Name, v.Value, v.Known)
		}
	}
	for _, u := range b.Unused {
		fmt.Fprintf(&s, "unused %s\n", u)
	}
	return s.String()
}

func build(t *testing.T, text, target string, args ...string) *Build {
	t.Helper()
	given := map[string]string{}
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		given[k] = v
	}
	b, err := parse(t, text).Build(target, given)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBuild(t *testing.T) {
	for _, tt := range []struct {
		name, in, target string
		args             []string
		want             string
	}{
		{"a builder's user: D1", "FROM alpine AS b\nUSER root\nRUN make\nFROM alpine\nCOPY --from=b /x /x\nUSER 1001\n", "", nil, `
			base alpine true
			6 user 1001 true`},
		{"a builder's user does not count: D2", "FROM alpine AS b\nUSER 1001\nFROM alpine\nCMD [\"x\"]\n", "", nil, `
			base alpine true
			4 cmd ["x"]
			unused b`},
		{"an alias is inherited: D3", "FROM alpine:3.20 AS base\nUSER 1001\nFROM base AS final\nCMD [\"x\"]\n", "", nil, `
			base alpine:3.20 true
			2 user 1001 true
			4 cmd ["x"]`},
		{"the last user counts: D6, D7", "FROM a\nHEALTHCHECK CMD true\nUSER root\nRUN a\nUSER app\nRUN b\nUSER root\nRUN c\nUSER 1001\n", "", nil, `
			base a true
			9 user 1001 true
			2 health ["CMD-SHELL" "true"]`},
		{"arguments in USER: D10", "FROM a\nARG UID=1000 GID=1000\nUSER ${UID}:\"${GID}\"\n", "", nil, `
			base a true
			3 user 1000:1000 true
			2 arg UID=1000 true
			2 arg GID=1000 true`},
		{"default in USER: D10", "FROM a\nUSER ${UID:-1001}\n", "", nil, `
			base a true
			2 user 1001 true`},
		{"no value is unknown, not empty", "FROM a\nARG U\nUSER $U\nENV PATH=/x:$PATH Q='$U' R=\\$U S=${U:+s}\nWORKDIR $U/x\n", "", nil, `
			base a true
			3 user $U false
			5 dir $U/x false
			4 env PATH=/x:$PATH false
			4 env Q=$U true
			4 env R=$U true
			4 env S= true
			2 arg U= false`},
		{"unknown parts travel", "FROM a\nARG U\nENV A=x$U\nENV B=$A/y\nUSER ${B:-z}\nLABEL l=${A:+set}\n", "", nil, `
			base a true
			5 user x$U/y false
			3 env A=x$U false
			4 env B=x$U/y false
			2 arg U= false
			6 label l=set true`},
		{"a build argument counts before the default", "FROM a\nARG U=1\nUSER $U\n", "", []string{"U=2"}, `
			base a true
			3 user 2 true
			2 arg U=2 true`},
		{"base with an argument: D75", "ARG REGISTRY\nFROM ${REGISTRY}/ubuntu\n", "", nil, `
			base ${REGISTRY}/ubuntu false
			1 arg REGISTRY= false`},
		{"base with a given argument: D75", "ARG REGISTRY\nFROM ${REGISTRY}/ubuntu\n", "", []string{"REGISTRY=r.example"}, `
			base r.example/ubuntu true
			1 arg REGISTRY=r.example true`},
		{"platform and redeclaration: D74", "ARG V=3 W=$V-$TARGETARCH\nFROM --platform=$BUILDPLATFORM x:$W AS y\nARG V\nARG TARGETOS\nENV V=$V W=$W OS=$TARGETOS\nFROM y\n", "", nil, `
			base x:3-amd64 true
			5 env V=3 true
			5 env W=$W false
			5 env OS=linux true
			1 arg V=3 true
			1 arg W=3-amd64 true
			3 arg V=3 true
			4 arg TARGETOS=linux true`},
		{"given platform", "FROM x\nARG TARGETARCH TARGETVARIANT\nENV A=$TARGETARCH$TARGETVARIANT\n", "", []string{"TARGETPLATFORM=linux/arm/v7"}, `
			base x true
			3 env A=armv7 true
			2 arg TARGETARCH=arm true
			2 arg TARGETVARIANT=v7 true`},
		{"ENV and ARG of one name", "FROM x AS a\nENV V=env\nARG V=arg\nLABEL a=$V\nFROM a\nLABEL b=$V\n", "", nil, `
			base x true
			2 env V=env true
			3 arg V=arg true
			4 label a=arg true
			6 label b=env true`},
		{"an argument is inherited by a stage on top", "FROM x AS a\nARG V=1\nFROM a\nUSER $V\n", "", nil, `
			base x true
			4 user 1 true
			2 arg V=1 true`},
		{"pairs of one ENV do not see each other", "FROM x\nENV A=1\nENV A=2 B=$A\n", "", nil, `
			base x true
			3 env A=2 true
			3 env B=1 true`},
		{"an ENTRYPOINT takes the inherited CMD away", "FROM x AS a\nCMD [\"c\"]\nFROM a\nENTRYPOINT e\n", "", nil, `
			base x true
			4 entrypoint ["/bin/sh" "-c" "e"]`},
		{"but not its own", "FROM x\nCMD [\"c\"]\nSHELL [\"/bin/bash\", \"-c\"]\nENTRYPOINT e\nSHELL [\"z\"]\nHEALTHCHECK NONE\n", "", nil, `
			base x true
			4 entrypoint ["/bin/bash" "-c" "e"]
			2 cmd ["c"]
			6 health ["NONE"]
			5 shell ["z"]`},
		{"ports", "FROM x\nENV P=1 Q='2 3/udp'\nEXPOSE 22 80/UDP 8000-8002 $P $Q $R 127.0.0.1:90:91 x 70000 5-4\n", "", nil, `
			base x true
			2 env P=1 true
			2 env Q=2 3/udp true
			3 expose $P=1/tcp true
			3 expose $Q=3/udp true
			3 expose $R=$R false
			3 expose 127.0.0.1:90:91=91/tcp true
			3 expose 22=22/tcp true
			3 expose 5-4=5-4 false
			3 expose 70000=70000 false
			3 expose 80/UDP=80/udp true
			3 expose 8000-8002=8000-8002/tcp true
			3 expose x=x false`},
		{"volumes, working directories, scratch", "FROM scratch\nWORKDIR a\nWORKDIR ../b\nVOLUME [\"/d\", \"$PWD\"]\nVOLUME /d e\nENV PATH=$PATH:/b\n", "", nil, `
			base scratch true
			3 dir /b true
			6 env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/b true
			5 volume /d=/d true
			4 volume $PWD=$PWD false
			5 volume e=e true`},
		{"triggers run in the stage on top, once", "FROM x AS a\nONBUILD USER 1\nONBUILD RUN b\nFROM a AS b\nONBUILD USER 2\nFROM b\n", "b", nil, `
			base x true
			2 user 1 true
			5 onbuild =USER 2 true
			unused 2`},
		{"target by number; unused stages", "FROM x AS a\nFROM y AS b\nFROM z\nCOPY --from=0 /a /a\nRUN --mount=type=bind,from=B,target=/b true\nFROM q\n", "2", nil, `
			base z true
			unused 3`},
		{"windows", "# escape=`\nFROM x\nWORKDIR C:\\app\nUSER ContainerAdministrator\nENV A=c:\\x\\$U\n", "", nil, `
			base x true
			4 user ContainerAdministrator true
			3 dir C:\app true
			5 env A=c:\x\$U false`},
		{"FROM its own name is another image", "FROM a AS a\nUSER 1\n", "", nil, `
			base a true
			2 user 1 true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := effect(build(t, tt.in, tt.target, tt.args...))
			want := strings.ReplaceAll(strings.TrimLeft(tt.want, "\n"), "\t", "") + "\n"
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestSteps(t *testing.T) {
	b := build(t, "FROM x AS a\nRUN one\nUSER u\nWORKDIR /w\nENV A=1\nFROM a\nSHELL [\"/bin/bash\", \"-c\"]\nRUN two $A\nENV A=2\nUSER $Z\nRUN [\"three\", \"$A\"]\n"+
		"RUN <<E\nfour\nE\nRUN <<E cat\nfive\nE\nRUN <<E\n#!/bin/sh\nE\nCOPY $A <<F d\nx\nF\n", "")
	var got strings.Builder
	for _, s := range b.Steps {
		a, _, _ := s.Getenv("A")
		fmt.Fprintf(&got, "%d %s %q %v user=%s dir=%s shell=%s A=%s layer=%v\n", s.Instr.Span.Start, s.Instr.Cmd, s.Args, s.Known, s.User, s.Dir, strings.Join(s.Shell, " "), a, s.MakesLayer())
	}
	want := `2 RUN ["one"] true user= dir= shell=/bin/sh -c A= layer=true
3 USER ["u"] true user= dir= shell=/bin/sh -c A= layer=false
4 WORKDIR ["/w"] true user=u dir=/w shell=/bin/sh -c A= layer=true
5 ENV ["A=1"] true user=u dir=/w shell=/bin/sh -c A= layer=false
7 SHELL ["/bin/bash" "-c"] true user=u dir=/w shell=/bin/sh -c A=1 layer=false
8 RUN ["two $A"] true user=u dir=/w shell=/bin/bash -c A=1 layer=true
9 ENV ["A=2"] true user=u dir=/w shell=/bin/bash -c A=1 layer=false
10 USER ["$Z"] false user=u dir=/w shell=/bin/bash -c A=2 layer=false
11 RUN ["three" "$A"] true user=$Z dir=/w shell=/bin/bash -c A=2 layer=true
12 RUN ["four\n"] true user=$Z dir=/w shell=/bin/bash -c A=2 layer=true
15 RUN ["<<E cat\nfive\nE"] true user=$Z dir=/w shell=/bin/bash -c A=2 layer=true
18 RUN ["/dev/pipes/E"] true user=$Z dir=/w shell=/bin/bash -c A=2 layer=true
21 COPY ["2" "<<F" "d"] true user=$Z dir=/w shell=/bin/bash -c A=2 layer=true
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	if len(b.AllEnv) != 2 || b.AllEnv[0].Value != "1" || b.AllEnv[0].Instr.Span.Start != 5 {
		t.Errorf("the first value of A is lost: %+v", b.AllEnv)
	}
}

func TestTarget(t *testing.T) {
	f := parse(t, "FROM a AS build\nFROM b\nFROM c AS Final\n")
	_, err := f.Build("fina", nil)
	if want := `Dockerfile has no stage "fina"; its stages, last first: final, 1, build (did you mean final?)`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if b, err := f.Build("FINAL", nil); err != nil || b.Target.Index != 2 {
		t.Errorf("got %v", err)
	}
}

// Expansion of a small file must not need much.
func TestExpansionIsBounded(t *testing.T) {
	var grow, edit strings.Builder
	grow.WriteString("FROM a\nENV A=aaaaaaaa\n")
	for range 40 {
		grow.WriteString("ENV A=$A$A\n")
	}
	edit.WriteString("FROM a\nENV A=" + strings.Repeat("a", 500) + "\n")
	for range 20_000 {
		edit.WriteString("ENV B=${A//?/$A}\n")
	}
	for name, in := range map[string]string{"grow": grow.String(), "edit": edit.String(),
		"many": "FROM a\nENV A=" + strings.Repeat("a", 60_000) + "\n" + strings.Repeat("ENV B=$A\n", 30_000)} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse("Dockerfile", []byte(in), limits.Default())
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan *Build, 1)
			go func() {
				b, _ := f.Build("", nil)
				done <- b
			}()
			select {
			case b := <-done:
				if b != nil && name == "grow" && b.Env[0].Known {
					t.Errorf("A is %d bytes", len(b.Env[0].Value))
				}
			case <-time.After(time.Minute):
				t.Fatal("does not end")
			}
		})
	}
}

func TestKnownBase(t *testing.T) {
	for ref, want := range map[string]string{ // D13
		"alpine": "root", "python:3.12-slim": "root", "docker.io/library/debian:13@sha256:00": "root", "index.docker.io/node": "root",
		"gcr.io/distroless/python3-debian12:nonroot": "65532", "gcr.io/distroless/static-debian12:debug-nonroot-amd64": "65532",
		"gcr.io/distroless/static": "root", "gcr.io/distroless/static@sha256:00": "", "gcr.io/distroless/static:latest@sha256:00": "root",
		"cgr.dev/chainguard/python:latest-dev": "65532", "quay.io/jupyter/base-notebook": "1000", "jupyter/scipy-notebook:x": "1000",
		"bitnami/postgresql:16": "1001", "bitnami/python": "", "mcr.microsoft.com/dotnet/aspnet:8.0": "", "mcr.microsoft.com/dotnet/aspnet:8.0-jammy-chiseled": "1654",
		"mcr.microsoft.com/dotnet/aspnet:6.0-jammy-chiseled": "", "docker:27-dind-rootless": "", "docker": "",
		"oven/bun:1.1-slim": "root", "oven/bun:1-distroless": "", "mcr.microsoft.com/playwright:v1.48.0-jammy": "root",
		"ghcr.io/astral-sh/uv:python3.12-bookworm-slim": "root", "ghcr.io/astral-sh/uv:0.5": "",
		"example.com/python": "", "someone/python": "", "localhost:5000/alpine": "", "scratch": "", "": "", "${X}/ubuntu": "", "memcached": "memcache",
	} {
		got, ok := KnownBase(ref)
		if got.User != want || ok != (want != "") || ok && !strings.HasPrefix(got.Source, "https://") {
			t.Errorf("%s: got %+v, want %q", ref, got, want)
		}
	}
	for ref, want := range map[string]bool{"python:3.12-slim": true, "ubuntu:22.04": true, "ubuntu": true, "node": true, "nvidia/cuda:12": true, "oven/bun": true, "oven/bun:distroless": false, "php:8": false, "postgres": false, "example.com/python": false} {
		if got, _ := KnownBase(ref); got.ByCommand != want {
			t.Errorf("%s: ByCommand is %v", ref, got.ByCommand)
		}
	}
}

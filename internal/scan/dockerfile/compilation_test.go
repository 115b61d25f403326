package dockerfile

import (
	"fmt"
	"strings"
	"testing"
)

// Each case is one RUN after the Dockerfile's head; it wants, for each command that
// compiles, what it is and why its failure is lost, or "noticed".
func TestCompilations(t *testing.T) {
	const after, turn = "the commands after it run all the same", "of a loop only the last turn's status counts"
	for _, c := range []struct{ name, head, run, want string }{
		{"plain", "", "python -m compileall /app", "compileall: noticed"},
		{"beside", "", "python -m compileall -q -b /app && find /app -name '*.py' -delete", "compileall -b: noticed"},
		{"beside in a cluster", "", "python3 -Bm compileall -qb /app", "compileall -b: noticed"},
		{"-d takes a value", "", "python -m compileall -d -b /app", "compileall: noticed"},
		{"true", "", "python -m compileall -b /app || true", "compileall -b: || true makes up for it"},
		{"colon", "", "python -m compileall -b /app || :", "compileall -b: || : makes up for it"},
		{"a whole chain", "", "pip install x && python -m compileall -b /app && rm -r /src || true", "compileall -b: || true makes up for it"},
		{"exit 0", "", "python -m compileall /app 2>/dev/null || exit 0", "compileall: || exit 0 makes up for it"},
		{"a secret is not quoted", "", "python -m compileall /app || echo hunter2", "compileall: || echo makes up for it"},
		{"semicolon", "", "python -m compileall /app; true", "compileall: " + after},
		{"only stderr is hidden", "", "python -m compileall /app 2>/dev/null", "compileall: noticed"},
		{"exit 1", "", "python -m compileall /app || exit 1", "compileall: noticed"},
		{"exit 1 and more", "", "python -m compileall /app || { echo failed; exit 1; }; rm -r /src", "compileall: noticed"},
		{"exit of the message's status", "", "python -m compileall /app || { echo failed; exit; }", "compileall: || what stands there makes up for it"},
		{"exit passes the status on", "", "python -m compileall /app || exit; true", "compileall: noticed"},
		{"false", "", "python -m compileall /app || false", "compileall: noticed"},
		{"another interpreter", "", "python3 -m compileall /app || python -m compileall /app", "compileall: noticed\ncompileall: noticed"},
		{"set -e", "", "set -eux; python -m compileall /app; rm -r /src", "compileall: noticed"},
		{"set +e", "", "set -e; set +e; python -m compileall /app; rm -r /src", "compileall: " + after},
		{"set -e does not count before &&", "", "set -e; python -m compileall /app && rm x; rm -r /src",
			"compileall: set -e does not count in front of &&, and the commands after it run all the same"},
		{"set -e, last", "", "set -e; python -m compileall /app && rm x", "compileall: noticed"},
		{"set -e is off in front of ||", "", "set -e; { python -m compileall /app; rm x; } || exit 1", "compileall: " + after},
		{"shell option", `SHELL ["/bin/bash", "-eo", "pipefail", "-c"]`, "python -m compileall /app | tee log; true", "compileall: noticed"},
		{"pipe", "", "python -m compileall /app | tee log", "compileall: the status of a pipeline is that of its last command"},
		{"end of a pipe", "", "yes | python -m compileall /app", "compileall: noticed"},
		{"loop with continue", "", `for f in *.py; do python -m py_compile "$f" || continue; done`, "py_compile: || continue makes up for it"},
		{"loop", "", `for f in *.py; do python -m py_compile "$f"; done`, "py_compile: " + turn},
		{"loop with set -e", "", `set -e; for f in *.py; do python -m py_compile "$f"; done`, "py_compile: noticed"},
		{"loop with exit", "", `for f in *.py; do python -m py_compile "$f" || exit 1; done`, "py_compile: noticed"},
		{"condition", "", "if python -m compileall /app; then echo ok; fi", "compileall: it is only a condition"},
		{"condition that is handled", "", "if ! python -m compileall /app; then exit 1; fi", "compileall: noticed"},
		{"else", "", "if python -m compileall /app; then echo ok; else exit 2; fi", "compileall: noticed"},
		{"negated", "", "! python -m compileall /app", "compileall: ! turns failure into success"},
		{"background", "", "python -m compileall /app & sleep 1", "compileall: & does not wait for it"},
		{"status is asked for", "", "python -m compileall /app; test $? -eq 0", "compileall: noticed"},
		{"find -exec", "", `find /app -name '*.py' -exec python -m py_compile {} \;`, `py_compile: find does not tell when -exec with \; fails`},
		{"find -exec +", "", `find /app -name '*.py' -exec python -m py_compile {} +`, "py_compile: noticed"},
		{"xargs", "", "find /app | xargs python -m py_compile", "py_compile: noticed"},
		{"wrappers", "", "PYTHONHASHSEED=0 nice timeout 60 $VENV/bin/python -OO -m compileall -b /app || true", "compileall -b: || true makes up for it"},
		{"sh -c", "", "sh -c 'python -m compileall /app; true'", "compileall: " + after},
		{"sh -ec", "", "sh -ec 'python -m compileall /app; true'", "compileall: noticed"},
		{"sh -c in a chain", "", "sh -c 'python -m compileall /app' || true", "compileall: || true makes up for it"},
		{"function", "", "build() { python -m compileall /app; }; build || true", "compileall: || true makes up for it"},
		{"subshell", "", "(python -m compileall /app || true) && rm -r /src", "compileall: || true makes up for it"},
		{"exec form", "", `["python", "-m", "compileall", "-b", "/app"]`, "compileall -b: noticed"},
		{"heredoc", "", "<<EOF\npython -m compileall /app\nrm -r /src\nEOF", "compileall: " + after},
		{"heredoc with set -e", "", "<<EOF\nset -e\npython -m compileall /app\nrm -r /src\nEOF", "compileall: noticed"},
		{"heredoc with its own shell", "", "<<EOF\n#!/bin/bash -e\npython -m compileall /app\nrm -r /src\nEOF", "compileall: noticed"},
		{"text", "", `echo python -m compileall /app || true`, ""},
		{"comment", "", "true # python -m compileall /app || true", ""},
		{"no syntax", "", "python -m compileall /app || (", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, x := range build(t, "FROM python:3.13\n"+c.head+"\nRUN "+c.run+"\n", "").Compilations() {
				got = append(got, describe(x))
			}
			if s := strings.Join(got, "\n"); s != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", s, c.want)
			}
		})
	}
}

func describe(c Compilation) string {
	s := c.Module
	if c.Beside {
		s += " -b"
	}
	if c.Hidden == "" {
		return s + ": noticed"
	}
	return s + ": " + c.Hidden
}

// Only stages that the target needs count, each with the shell it inherits.
func TestCompilationsOfStages(t *testing.T) {
	b := build(t, `FROM python:3.13 AS base
SHELL ["/bin/bash", "-ec"]
FROM base AS build
RUN python -m compileall -b /app; rm -r /src
FROM base AS unused
RUN python -m compileall /app || true
FROM debian
COPY --from=build /app /app
RUN python -m py_compile /x.py; true
`, "")
	var got []string
	for _, c := range b.Compilations() {
		got = append(got, fmt.Sprintf("%d %s %s", c.Instr.Span.Start, c.Stage, describe(c)))
	}
	want := "4 build compileall -b: noticed\n9 3 py_compile: the commands after it run all the same"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got:\n%s\nwant:\n%s", s, want)
	}
}

// Which commands delete what was compiled, by the lines of both.
func TestDeletedBy(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"rm in the same RUN", "RUN python -m compileall -q /app && rm -f /app/*.py", "2-2"},
		{"find in a later RUN", "RUN python -m compileall -q /app/agent\nRUN find /app -name '*.py' -delete", "2-3"},
		{"find -exec", `RUN python -m compileall /app && find /app /srv -type f -name "*.py" -exec rm {} +`, "2-2"},
		{"find and xargs", "RUN python -m compileall /app && find /app -name '*.py' -print0 | xargs -0 rm -f", "2-2"},
		{"relative", "RUN python -m compileall . && find . -name '*.py' -delete", "2-2"},
		{"py_compile", "RUN python -m py_compile /app/main.py && rm /app/*.py", "2-2"},
		{"beside", "RUN python -m compileall -b /app && find /app -name '*.py' -delete", "2-none"},
		{"beside, too", "RUN python -m compileall /app && python -m compileall -b /app && rm /app/*.py", "2-none 2-none"},
		{"elsewhere", "RUN python -m compileall /app && find /tmp -name '*.py' -delete", "2-none"},
		{"before", "RUN rm /app/*.py; python -m compileall /app", "2-none"},
		{"others", "RUN python -m compileall /app && find /app -name '*.pyc' -delete", "2-none"},
		{"not all", "RUN python -m compileall /app && find /app -name '*.py' ! -name main.py -delete", "2-none"},
		{"-prune", "RUN python -m compileall /app && find /app -path /app/x -prune -o -name '*.py' -delete", "2-none"},
		{"brought back", "RUN python -m compileall /app && rm /app/*.py\nCOPY . /app", "2-none"},
		{"other things are brought", "RUN python -m compileall /app && rm /app/*.py\nCOPY start.sh /usr/bin/", "2-2"},
		{"only lists", "RUN python -m compileall /app && find /app -name '*.py'", "2-none"},
	} {
		var got []string
		for _, x := range build(t, "FROM python:3.13\n"+c.text+"\n", "").Compilations() {
			by := "none"
			if x.DeletedBy != nil {
				by = fmt.Sprint(x.DeletedBy.Span.Start)
			}
			got = append(got, fmt.Sprintf("%d-%s", x.Instr.Span.Start, by))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.name, s, c.want)
		}
	}
}

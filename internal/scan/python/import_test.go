package python_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// Each case says of every interpreter of the final file system what it is.
func TestInterpreters(t *testing.T) {
	for _, c := range []struct{ name, fixture, want string }{
		{"an official image, with its links", `
-- 1/usr/local/bin/python3.13 mode=0755 --
ELF
-- 1/usr/local/bin/python3 link=python3.13 --
-- 1/usr/local/bin/python3.13-config mode=0755 --
#!/bin/sh
-- 1/usr/local/lib/python3.13/os.py --
pass
`, "Python 3.13 (/usr/local/bin/python3.13) /usr/local 3571"},
		{"Debian, and a virtual environment on it", `
-- 1/usr/bin/python3.11 mode=0755 --
ELF
-- 1/usr/lib/python3.11/os.py --
pass
-- 1/opt/venv/bin/python3.11 link=/usr/bin/python3.11 --
-- 1/opt/venv/pyvenv.cfg --
home = /usr/bin
`, "Python 3.11 (/usr/bin/python3.11) /usr 3495"},
		{"pyenv and conda", `
-- 1/root/.pyenv/versions/3.12.1/bin/python3.12 mode=0755 --
ELF
-- 1/root/.pyenv/versions/3.12.1/lib/python3.12/os.py --
pass
-- 1/root/.pyenv/shims/python3.12 mode=0755 --
#!/bin/sh
-- 1/opt/conda/bin/python3.10 mode=0755 --
ELF
-- 1/opt/conda/lib/python3.10/os.py --
pass
`, "Python 3.10 (/opt/conda/bin/python3.10) /opt/conda 3439\nPython 3.12 (/root/.pyenv/versions/3.12.1/bin/python3.12) /root/.pyenv/versions/3.12.1 3531"},
		{"a short name, the version of the library", `
-- 1/opt/py/bin/python3 mode=0755 --
ELF
-- 1/opt/py/lib/python3.9/os.pyc --
x
`, "Python 3.9 (/opt/py/bin/python3) /opt/py 3425"},
		{"PyPy, a version to come, free threads", `
-- 1/opt/pypy/bin/pypy3.10 mode=0755 --
ELF
-- 1/opt/pypy/lib/pypy3.10/os.py --
pass
-- 1/opt/next/bin/python3.99 mode=0755 --
ELF
-- 1/opt/free/bin/python3.13t mode=0755 --
ELF
`, "Python 3.13 (/opt/free/bin/python3.13t) /opt/free 3571\nPython 3.99 (/opt/next/bin/python3.99) /opt/next unknown\nPyPy 3.10 (/opt/pypy/bin/pypy3.10) /opt/pypy unknown"},
		{"a library alone, what can't be executed, what is gone", `
-- 1/usr/lib/python3.11/os.py --
pass
-- 1/opt/bin/python3.12 --
text
-- 1/usr/bin/python3.8 mode=0755 --
ELF
-- 2/usr/bin/.wh.python3.8 --
`, ""},
	} {
		inv, _ := load(t, c.fixture)
		var got []string
		for _, in := range inv.Interpreters() {
			magic := "unknown"
			if n, ok := in.Magic(); ok {
				magic = fmt.Sprint(n)
			}
			got = append(got, fmt.Sprintf("%s %s %s", in, in.Prefix, magic))
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", c.name, s, c.want)
		}
	}
}

const interpreter = `
-- 1/usr/local/bin/python3.13 mode=0755 --
ELF
-- 1/usr/local/lib/python3.13/os.py --
pass
`

// Each case says of all bytecode what becomes of it, in the order of the image.
func TestImport(t *testing.T) {
	states := [...]string{"undecided", "loads", "unused", "fails"}
	for _, c := range []struct{ name, fixture, want string }{
		{"beside where the source was", interpreter + `
-- 2/app/x.pyc --
{{pyc 3571 "x.py"}}
`, "/app/x.pyc loads: Python 3.13 (/usr/local/bin/python3.13) loads it"},
		{"source and bytecode side by side", interpreter + `
-- 2/app/x.py --
-- 2/app/x.pyc --
{{pyc 3531 "x.py"}}
`, "/app/x.pyc unused: the source is what is imported"},
		{"both kinds of bytecode", interpreter + `
-- 2/app/x.pyc --
{{pyc 3571 "x.py"}}
-- 2/app/__pycache__/x.cpython-313.pyc --
{{pyc 3571 "x.py"}}
`, "/app/x.pyc loads: Python 3.13 (/usr/local/bin/python3.13) loads it\n/app/__pycache__/x.cpython-313.pyc unused: the bytecode beside __pycache__ is what is imported"},
		{"a cache without its source", interpreter + `
-- 2/app/__pycache__/x.cpython-313.pyc --
{{pyc 3571 "x.py"}}
`, "/app/__pycache__/x.cpython-313.pyc fails: lies in __pycache__, where Python looks only while the source is there"},
		{"a stale cache among sources", interpreter + `
-- 2/app/y.py --
pass
-- 2/app/__pycache__/x.cpython-313.pyc --
{{pyc 3571 "x.py"}}
`, "/app/__pycache__/x.cpython-313.pyc unused: is stale: the directory has sources, and none of that name"},
		{"one of several sources is deleted", interpreter + `
-- 2/app/x.py --
pass
-- 2/app/y.py --
pass
-- 2/app/__pycache__/x.cpython-313.pyc --
{{pyc 3571 "x.py"}}
-- 3/app/.wh.x.py --
`, "/app/__pycache__/x.cpython-313.pyc fails: lies in __pycache__, where Python looks only while the source is there"},
		{"through a link", interpreter + `
-- 2/srv/x.py --
pass
-- 2/app/__pycache__/x.cpython-313.pyc --
{{pyc 3571 "x.py"}}
-- 2/app/x.py link=/srv/x.py --
`, "/app/__pycache__/x.cpython-313.pyc unused: the source is what is imported"},
		{"no interpreter", `
-- 2/app/x.pyc --
{{pyc 3571 "x.py"}}
-- 2/app/__pycache__/y.cpython-313.pyc --
{{pyc 3571 "y.py"}}
`, "/app/x.pyc undecided: no Python interpreter was found in the image\n/app/__pycache__/y.cpython-313.pyc undecided: no Python interpreter was found in the image"},
		{"a preview of the same version", interpreter + `
-- 2/app/x.pyc --
{{pyc 3560 "x.py"}}
`, "/app/x.pyc undecided: what bytecode Python 3.13 (/usr/local/bin/python3.13) loads is not known"},
		{"gone in a later layer", interpreter + `
-- 2/app/x.pyc --
{{pyc 3571 "x.py"}}
-- 3/app/.wh.x.pyc --
`, ""},
	} {
		inv, _ := load(t, c.fixture)
		var got []string
		for _, b := range inv.Bytecode() {
			i := inv.Import(b)
			got = append(got, fmt.Sprintf("%s %s: %s", b.File.Path, states[i.State], i.Why))
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", c.name, s, c.want)
		}
	}
}

// Bytecode and archives are whose the lists say, also where the sources are gone.
func TestWhose(t *testing.T) {
	inv, img := load(t, interpreter+`
-- 1/usr/local/lib/python3.13/json/__pycache__/decoder.cpython-313.pyc --
x
-- 1/usr/local/lib/python3.13/ensurepip/_bundled/pip-25.0-py3-none-any.whl --
x
-- 1/usr/lib/python3/dist-packages/apt/cache.pyc --
x
-- 1/var/lib/dpkg/info/python3-apt.list --
/usr/lib/python3/dist-packages/apt/cache.py
-- 1/usr/local/lib/python3.13/site-packages/dep/core.pyc --
x
-- 1/usr/local/lib/python3.13/site-packages/dep-1.0.dist-info/RECORD --
dep/core.py,,
-- 1/usr/local/lib/python3.13/site-packages/agent/loop.pyc --
x
-- 1/usr/local/lib/python3.13/site-packages/agent-1.0.dist-info/RECORD --
agent/loop.py,,
-- 1/usr/local/lib/python3.13/site-packages/agent-1.0.dist-info/direct_url.json --
{"url": "file:///src", "dir_info": {}}
-- 1/wheels/Dep-1.0-py3-none-any.whl --
x
-- 1/wheels/agent-1.0.tar.gz --
x
-- 1/wheels/other-1.0.tar.gz --
x
-- 1/root/.cache/pip/wheels/a/other-1.0-py3-none-any.whl --
x
-- 1/app/main.pyc --
x
`)
	want := map[string]python.Class{
		"/usr/local/lib/python3.13/json/__pycache__/decoder.cpython-313.pyc":     python.StandardLibrary,
		"/usr/local/lib/python3.13/ensurepip/_bundled/pip-25.0-py3-none-any.whl": python.StandardLibrary,
		"/usr/lib/python3/dist-packages/apt/cache.pyc":                           python.Distribution,
		"/usr/local/lib/python3.13/site-packages/dep/core.pyc":                   python.ThirdParty,
		"/usr/local/lib/python3.13/site-packages/agent/loop.pyc":                 python.FirstParty,
		"/wheels/Dep-1.0-py3-none-any.whl":                                       python.ThirdParty,
		"/wheels/agent-1.0.tar.gz":                                               python.FirstParty,
		"/wheels/other-1.0.tar.gz":                                               python.FirstParty,
		"/root/.cache/pip/wheels/a/other-1.0-py3-none-any.whl":                   python.ThirdParty,
		"/app/main.pyc": python.FirstParty,
	}
	seen := 0
	for f := range img.Files() {
		class, ok := want[f.Path]
		if !ok {
			continue
		}
		seen++
		if got, why := inv.Whose(f); got != class || why == "" {
			t.Errorf("%s: %s (%s), want %s", f.Path, got, why, class)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d files", seen, len(want))
	}
}

func TestSummary(t *testing.T) {
	inv, _ := load(t, interpreter+`
-- 2/app/main.py --
pass
-- 2/app/lib/x.py --
pass
-- 2/srv/y.pyc --
{{pyc 3571 "y.py"}}
`)
	want := `interpreters: Python 3.13 (/usr/local/bin/python3.13)
sources: 1 standard library, 0 distribution package, 0 third party, 2 first party
bytecode: 0 standard library, 0 distribution package, 0 third party, 1 first party
first-party sources are in: /app`
	if got := inv.Summary(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

package python_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// load reads the image of a fixture and returns the fact on it.
func load(t *testing.T, fixture string) (*python.Inventory, *image.Image) {
	t.Helper()
	return scantest.Fact(t, fixture, python.Fact)
}

// Each case says of every Python source, in order, its layer, path and class.
func TestClass(t *testing.T) {
	for _, c := range []struct{ name, fixture, want string }{
		{"official image: the library has no owner, the programs beside it are its own", `
-- 1/usr/local/lib/python3.13/os.py --
pass
-- 1/usr/local/lib/python3.13/idlelib/run.py --
pass
-- 1/usr/local/lib/python3.13/config-3.13-x86_64-linux-gnu/python-config.py --
pass
-- 1/usr/local/bin/idle3.13 mode=0755 --
#!/usr/local/bin/python3.13
-- 1/usr/local/bin/2to3-3.13 mode=0755 --
#!/usr/local/bin/python3.13
-- 1/usr/local/bin/python3-config mode=0755 --
#!/bin/sh
-- 1/usr/local/bin/pip3.13 mode=0755 --
#!/usr/local/bin/python3.13
-- 1/usr/local/bin/serve mode=0755 --
#!/usr/local/bin/python3.13
-- 1/usr/local/lib/python3.13/site-packages/pip/__init__.py --
pass
-- 1/usr/local/lib/python3.13/site-packages/pip/py.typed --
-- 1/usr/local/lib/python3.13/site-packages/pip-25.0.dist-info/RECORD --
../../../bin/pip3.13,sha256=x,1
pip/__init__.py,sha256=x,1
"pip/a,b.py",,
-- 1/usr/local/lib/python3.13/site-packages/pip/a,b.py --
pass
-- 1/usr/local/lib/python3.13/site-packages/stray.py --
pass
-- 1/usr/local/lib/python3.13/sitecustomize.py --
pass
-- 1/usr/local/lib/python3.13/typing.pyi --
-- 1/app/__init__.py --
`, `
0/usr/local/lib/python3.13/os.py: standard library
0/usr/local/lib/python3.13/idlelib/run.py: standard library
0/usr/local/lib/python3.13/config-3.13-x86_64-linux-gnu/python-config.py: standard library
0/usr/local/bin/idle3.13: standard library
0/usr/local/bin/2to3-3.13: standard library
0/usr/local/bin/pip3.13: third party
0/usr/local/bin/serve: first party
0/usr/local/lib/python3.13/site-packages/pip/__init__.py: third party
0/usr/local/lib/python3.13/site-packages/pip/a,b.py: third party
0/usr/local/lib/python3.13/site-packages/stray.py: first party
0/usr/local/lib/python3.13/sitecustomize.py: first party
`},
		{"an application in all its forms", `
-- 1/app/main.py --
pass
-- 1/app/gui.pyw --
pass
-- 1/app/types.pyi --
-- 1/app/main.pyc --
-- 1/app/run --
#!/usr/bin/env -S python3 -u
-- 1/app/long --
#!/bin/sh
'''exec' "/a very long/path/python3.13" "$0" "$@"
' '''
-- 1/app/tool --
#!/bin/sh
exec python3 x
-- 1/app/python --
a text about #! python
-- 1/app/link.py link=/app/main.py --
pass
-- 1/app/hard.py hardlink=app/main.py --
pass
`, `
0/app/main.py: first party
0/app/gui.pyw: first party
0/app/run: first party
0/app/long: first party
0/app/hard.py: first party
`},
		{"Debian", `
-- 1/usr/lib/python3.11/os.py --
pass
-- 1/usr/lib/python3.11/sitecustomize.py --
pass
-- 1/usr/lib/python3/dist-packages/apt/cache.py --
pass
-- 1/usr/share/python3/debpython/version.py --
pass
-- 1/usr/bin/py3clean mode=0755 --
#!/usr/bin/python3
-- 1/usr/local/lib/python3.11/dist-packages/own.py --
pass
-- 1/var/lib/dpkg/info/python3-apt.list --
/usr/lib/python3/dist-packages/apt/cache.py
/usr/lib/python3.11/sitecustomize.py
/usr/share/python3/debpython/version.py
/usr/bin/py3clean
`, `
0/usr/lib/python3.11/os.py: standard library
0/usr/lib/python3.11/sitecustomize.py: distribution package
0/usr/lib/python3/dist-packages/apt/cache.py: distribution package
0/usr/share/python3/debpython/version.py: distribution package
0/usr/bin/py3clean: distribution package
0/usr/local/lib/python3.11/dist-packages/own.py: first party
`},
		{"a virtual environment", `
-- 1/opt/venv/pyvenv.cfg --
home = /usr/local/bin
version_info = 3.12.1.final.0
-- 1/opt/venv/bin/activate_this.py --
pass
-- 1/opt/venv/lib/python3.12/site-packages/_virtualenv.py --
pass
-- 1/opt/venv/lib/python3.12/site-packages/flask/app.py --
pass
-- 1/opt/venv/bin/flask mode=0755 --
#!/opt/venv/bin/python
-- 1/opt/venv/lib/python3.12/site-packages/flask-3.0.dist-info/RECORD --
flask/app.py,,
/opt/venv/bin/flask,,
-- 1/app/bin/activate_this.py --
pass
`, `
0/opt/venv/bin/activate_this.py: third party
0/opt/venv/lib/python3.12/site-packages/_virtualenv.py: third party
0/opt/venv/lib/python3.12/site-packages/flask/app.py: third party
0/opt/venv/bin/flask: third party
0/app/bin/activate_this.py: first party
`},
		{"where a distribution came from decides", `
-- 1/s/site-packages/a/x.py --
pass
-- 1/s/site-packages/a-1.dist-info/RECORD --
a/x.py,,
-- 1/s/site-packages/a-1.dist-info/direct_url.json --
{"url": "file:///src/a", "dir_info": {}}
-- 1/s/site-packages/b/x.py --
pass
-- 1/s/site-packages/b-1.dist-info/RECORD --
b/x.py,,
-- 1/s/site-packages/b-1.dist-info/direct_url.json --
{"url": "https://git.corp/b", "vcs_info": {"vcs": "git"}}
-- 1/s/site-packages/c/x.py --
pass
-- 1/s/site-packages/c-1.dist-info/RECORD --
c/x.py,,
-- 1/s/site-packages/c-1.dist-info/direct_url.json --
{"url": "https://files.example/c-1-py3-none-any.whl", "archive_info": {}}
-- 1/s/site-packages/d/x.py --
pass
-- 1/s/site-packages/d-1.dist-info/RECORD --
d/x.py,,
-- 1/s/site-packages/d-1.dist-info/direct_url.json --
{"url": "file:///wheels/d-1-py3-none-any.whl", "archive_info": {}}
-- 1/s/site-packages/e/x.py --
pass
-- 1/s/site-packages/e-1.dist-info/RECORD --
e/x.py,,
-- 1/s/site-packages/e-1.dist-info/direct_url.json --
not JSON
`, `
0/s/site-packages/a/x.py: first party
0/s/site-packages/b/x.py: first party
0/s/site-packages/c/x.py: third party
0/s/site-packages/d/x.py: first party
0/s/site-packages/e/x.py: third party
`},
		{"editable installs", `
-- 1/src/fw/core.py --
pass
-- 1/s/lib/python3.12/site-packages/__editable___fw_1_0_finder.py --
pass
-- 1/s/bin/fw mode=0755 --
#!/s/bin/python
-- 1/s/lib/python3.12/site-packages/fw-1.0.dist-info/RECORD --
__editable___fw_1_0_finder.py,,
../../../bin/fw,,
-- 1/s/lib/python3.12/site-packages/fw-1.0.dist-info/direct_url.json --
{"url": "file:///src/fw", "dir_info": {"editable": true}}
-- 1/s/lib/python3.12/site-packages/Old.Tool.egg-link --
/src/old
-- 1/s/bin/old mode=0755 --
#!/s/bin/python
# EASY-INSTALL-ENTRY-SCRIPT: 'old-tool','console_scripts','old'
-- 1/s/bin/egg mode=0755 --
#!/s/bin/python
# EASY-INSTALL-ENTRY-SCRIPT: 'egg==1.0','console_scripts','egg'
`, `
0/src/fw/core.py: first party
0/s/lib/python3.12/site-packages/__editable___fw_1_0_finder.py: third party
0/s/bin/fw: first party
0/s/bin/old: first party
0/s/bin/egg: third party
`},
		{"setup.py's lists", `
-- 1/s/site-packages/a/x.py --
pass
-- 1/s/site-packages/a/unlisted.py --
pass
-- 1/s/site-packages/a-1.egg-info/top_level.txt --
a
-- 1/s/site-packages/a-1.egg-info/installed-files.txt --
../a/x.py
PKG-INFO
-- 1/s/site-packages/b/x.py --
pass
-- 1/s/site-packages/c.py --
pass
-- 1/s/site-packages/d.py --
pass
-- 1/s/site-packages/bc-1.egg-info/top_level.txt --
b
c
-- 1/src/own/own.egg-info/top_level.txt --
own
-- 1/src/own/own/x.py --
pass
`, `
0/s/site-packages/a/x.py: third party
0/s/site-packages/a/unlisted.py: first party
0/s/site-packages/b/x.py: third party
0/s/site-packages/c.py: third party
0/s/site-packages/d.py: first party
0/src/own/own/x.py: first party
`},
		{"other managers' trees, compilers", `
-- 1/usr/local/lib/node_modules/npm/node_modules/node-gyp/package.json --
-- 1/usr/local/lib/node_modules/npm/node_modules/node-gyp/gyp/gyp_main.py --
pass
-- 1/usr/local/lib64/libstdc++.so.6.0.32-gdb.py --
pass
-- 1/usr/local/share/gcc-13.2.0/python/libstdcxx/v6/printers.py --
pass
-- 1/usr/share/gdb/auto-load/x.py --
pass
-- 1/opt/python/bin/python3.12-gdb.py --
pass
-- 1/opt/agent/bin/serve-gdb.py --
pass
-- 1/opt/conda/lib/python3.12/os.py --
pass
-- 1/opt/conda/lib/python3.12/site-packages/np/x.py --
pass
-- 1/opt/conda/lib/python3.12/site-packages/np-1.dist-info/RECORD --
np/x.py,,
-- 1/opt/conda/lib/python3.12/site-packages/np-1.dist-info/direct_url.json --
{"url": "file:///home/conda/feedstock_root/work", "dir_info": {}}
-- 1/opt/conda/conda-meta/np-1-0.json --
{"name": "np", "url": "https://conda.example/np-1-0.conda", "files": ["lib/python3.12/site-packages/np/x.py"]}
`, `
0/usr/local/lib/node_modules/npm/node_modules/node-gyp/gyp/gyp_main.py: third party
0/usr/local/lib64/libstdc++.so.6.0.32-gdb.py: third party
0/usr/local/share/gcc-13.2.0/python/libstdcxx/v6/printers.py: third party
0/usr/share/gdb/auto-load/x.py: third party
0/opt/python/bin/python3.12-gdb.py: third party
0/opt/agent/bin/serve-gdb.py: first party
0/opt/conda/lib/python3.12/os.py: standard library
0/opt/conda/lib/python3.12/site-packages/np/x.py: distribution package
`},
		{"rpm is not read: what it may own is unattributed", `
-- 1/usr/lib64/python3.9/os.py --
pass
-- 1/usr/lib/python3.9/site-packages/dnf/base.py --
pass
-- 1/usr/lib/python3.9/site-packages/six.py --
pass
-- 1/usr/lib/python3.9/site-packages/six-1.15.0.dist-info/RECORD --
six.py,,
-- 1/usr/local/lib/python3.9/site-packages/own.py --
pass
-- 1/usr/src/app/main.py --
pass
-- 1/app/main.py --
pass
-- 1/var/lib/rpm/rpmdb.sqlite --
can't be read
`, `
0/usr/lib64/python3.9/os.py: standard library
0/usr/lib/python3.9/site-packages/dnf/base.py: unattributed
0/usr/lib/python3.9/site-packages/six.py: third party
0/usr/local/lib/python3.9/site-packages/own.py: first party
0/usr/src/app/main.py: first party
0/app/main.py: first party
`},
		{"upgrades bury what is nobody's secret", `
-- 1/usr/local/lib/python3.13/os.py --
pass
-- 1/usr/local/lib/python3.13/old.py --
pass
-- 1/usr/local/lib/python3.13/site-packages/pip/__init__.py --
pass
-- 1/usr/local/lib/python3.13/site-packages/pip/dropped.py --
pass
-- 1/usr/local/lib/python3.13/site-packages/pip-24.0.dist-info/RECORD --
pip/__init__.py,,
pip/dropped.py,,
-- 1/app/main.py --
pass
-- 2/usr/local/lib/python3.13/os.pyc --
-- 2/usr/local/lib/python3.13/.wh.os.py --
pass
-- 2/usr/local/lib/python3.13/.wh.old.py --
pass
-- 2/usr/local/lib/python3.13/site-packages/pip/__init__.py --
pass
-- 2/usr/local/lib/python3.13/site-packages/pip/.wh.dropped.py --
pass
-- 2/usr/local/lib/python3.13/site-packages/.wh.pip-24.0.dist-info --
-- 2/usr/local/lib/python3.13/site-packages/pip-25.0.dist-info/RECORD --
pip/__init__.py,,
-- 2/app/.wh.main.py --
pass
`, `
0/usr/local/lib/python3.13/os.py: standard library
0/usr/local/lib/python3.13/old.py: standard library
0/usr/local/lib/python3.13/site-packages/pip/__init__.py: third party
0/usr/local/lib/python3.13/site-packages/pip/dropped.py: third party
0/app/main.py: first party
1/usr/local/lib/python3.13/site-packages/pip/__init__.py: third party
`},
		{"metadata that is removed to save room still tells", `
-- 1/s/site-packages/a/x.py --
pass
-- 1/s/site-packages/a-1.dist-info/RECORD --
a/x.py,,
-- 2/s/site-packages/.wh.a-1.dist-info --
-- 3/s/site-packages/a/y.py --
pass
`, `
0/s/site-packages/a/x.py: third party
2/s/site-packages/a/y.py: first party
`},
		{"reinstalled from a local path", `
-- 1/s/site-packages/a/x.py --
pass
-- 1/s/site-packages/a-1.dist-info/RECORD --
a/x.py,,
-- 2/s/site-packages/a/x.py --
pass
-- 2/s/site-packages/a-1.dist-info/RECORD --
a/x.py,,
-- 2/s/site-packages/a-1.dist-info/direct_url.json --
{"url": "file:///src/a", "dir_info": {}}
`, `
0/s/site-packages/a/x.py: third party
1/s/site-packages/a/x.py: first party
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv, img := load(t, c.fixture)
			got := "\n"
			for f := range img.Files() {
				class := inv.Class(f)
				if class != python.NotPython {
					got += fmt.Sprintf("%d%s: %s\n", f.Layer.Index, f.Path, class)
				}
				if (inv.Why(f) != "") != (class != python.NotPython) {
					t.Errorf("%s is %s because %q", f.Path, class, inv.Why(f))
				}
			}
			if got != c.want {
				t.Errorf("got:%swant:%s", got, c.want)
			}
		})
	}
}

func TestInventory(t *testing.T) {
	inv, img := load(t, `
-- 1/usr/local/lib/python3.13/os.py --
pass
-- 1/usr/local/lib/python3.13/json/__init__.py --
pass
-- 1/usr/lib/python3.9/os.py --
pass
-- 1/usr/local/lib/pypy3.10/os.py --
pass
-- 1/opt/venv/pyvenv.cfg --
home = /usr/local/bin
include-system-site-packages = false
version = 3.13.1
-- 1/opt/venv/bin/serve mode=0755 --
#!/opt/venv/bin/python
-- 1/app/main.py --
pass
-- 1/app/pkg/util.py --
pass
-- 1/appendix/x.py --
pass
-- 1/entry.py --
pass
-- 1/gone/x.py --
pass
-- 1/s/site-packages/fw.py --
pass
-- 1/s/site-packages/fw-1.0.dist-info/RECORD --
fw.py,,
-- 1/s/site-packages/fw-1.0.dist-info/direct_url.json --
{"url": "https://user:hunter2@git.corp/fw", "vcs_info": {}}
-- 2/.wh.gone --
-- 2/usr/lib/.wh.python3.9 --
`)
	want := []python.Installation{
		{Prefix: "/opt/venv", Version: "3.13.1", Home: "/usr/local/bin"},
		{Prefix: "/usr/local", Version: "3.10", Lib: "/usr/local/lib/pypy3.10"},
		{Prefix: "/usr/local", Version: "3.13", Lib: "/usr/local/lib/python3.13"},
	}
	if got := inv.Installations(); !slices.Equal(got, want) {
		t.Errorf("installations:\n got %+v\nwant %+v", got, want)
	}
	if got, want := strings.Join(inv.Roots(), " "), "/ /app /appendix /opt/venv/bin /s/site-packages"; got != want {
		t.Errorf("roots: %s, want %s", got, want)
	}
	n := inv.Counts()
	if n[python.StandardLibrary] != 3 || n[python.FirstParty] != 6 || n[python.ThirdParty] != 0 {
		t.Errorf("counts: %v", n)
	}
	if why := inv.Why(img.Lookup("/s/site-packages/fw.py")); why != "of fw 1.0, installed from version control" {
		t.Errorf("why: %q", why) // and no word of the URL, which may hold a password
	}
}

package packages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// load reads the image of a fixture and returns the fact on it.
func load(t *testing.T, fixture string) (*packages.Owners, *image.Image) {
	t.Helper()
	return scantest.Fact(t, fixture, packages.Fact)
}

func TestOwners(t *testing.T) {
	for _, c := range []struct {
		name, fixture string
		want          []string // "layer/path manager package", for the files that have an owner
		unread        string
	}{
		{"dpkg, merged and unmerged /usr", `
-- 1/usr/lib/python3/dist-packages/apt/cache.py --
-- 1/lib/udev/x --
-- 1/usr/bin/gone --
-- 1/opt/own.py --
-- 1/var/lib/dpkg/info/python3-apt.list --
/.
/usr
/usr/lib/python3/dist-packages/apt/cache.py
/bin/gone
-- 1/var/lib/dpkg/info/udev:amd64.list --
/usr/lib/udev/x
`, []string{"0/usr/lib/python3/dist-packages/apt/cache.py dpkg python3-apt", "0/lib/udev/x dpkg udev", "0/usr/bin/gone dpkg python3-apt"}, ""},
		{"dpkg without a package manager", `
-- 1/usr/bin/x --
-- 1/usr/bin/y --
-- 1/var/lib/dpkg/status.d/x.md5sums --
d41d8cd98f00b204e9800998ecf8427e  usr/bin/x
`, []string{"0/usr/bin/x dpkg x"}, ""},
		{"apk", `
-- 1/usr/lib/python3.12/os.py --
-- 1/bin/busybox --
-- 1/usr/bin/own --
-- 1/lib/apk/db/installed --
C:Q1
P:busybox
V:1.36
F:bin
R:busybox
a:0:0:755

P:python3
F:usr
F:usr/lib/python3.12
R:os.py
`, []string{"0/usr/lib/python3.12/os.py apk python3", "0/bin/busybox apk busybox"}, ""},
		{"pacman", `
-- 1/usr/bin/x --
-- 1/var/lib/pacman/local/the-x-1.2-3/files --
%FILES%
usr/
usr/bin/x

%BACKUP%
etc/x
`, []string{"0/usr/bin/x pacman the-x"}, ""},
		{"conda, also its cache", `
-- 1/opt/conda/lib/python3.12/site-packages/requests/api.py --
-- 1/opt/conda/lib/own.py --
-- 1/opt/conda/lib/local.py --
-- 1/opt/conda/conda-meta/requests-2.32-py312.json --
{"name": "requests", "url": "https://c.example/x.conda", "files": ["lib/python3.12/site-packages/requests/api.py"]}
-- 1/opt/conda/conda-meta/own-1-0.json --
{"name": "own", "url": "file:///build/own-1-0.conda", "files": ["lib/local.py"]}
-- 1/opt/conda/pkgs/requests-2.32-py312/info/index.json --
{}
-- 1/opt/conda/pkgs/requests-2.32-py312/site-packages/requests/api.py --
`, []string{
			"0/opt/conda/lib/python3.12/site-packages/requests/api.py conda requests",
			"0/opt/conda/pkgs/requests-2.32-py312/info/index.json conda requests-2.32-py312",
			"0/opt/conda/pkgs/requests-2.32-py312/site-packages/requests/api.py conda requests-2.32-py312",
		}, ""},
		{"npm, gems and toolchains", `
-- 1/app/package.json --
-- 1/app/gen.py --
-- 1/app/node_modules/node-gyp/package.json --
-- 1/app/node_modules/node-gyp/gyp/gyp_main.py --
-- 1/app/node_modules/@a/b/package.json --
-- 1/app/node_modules/@a/b/x.py --
-- 1/app/node_modules/stray.py --
-- 1/usr/local/go/VERSION --
-- 1/usr/local/go/src/runtime/runtime-gdb.py --
-- 1/opt/other/VERSION --
-- 1/opt/other/x.py --
-- 1/usr/lib/ruby/gems/3.3.0/specifications/rouge-4.gemspec --
-- 1/usr/lib/ruby/gems/3.3.0/gems/rouge-4/x.py --
-- 1/root/.rustup/toolchains/stable/lib/rustlib/manifest-rustc --
-- 1/root/.rustup/toolchains/stable/lib/rustlib/etc/gdb_lookup.py --
`, []string{
			"0/app/node_modules/node-gyp/package.json npm node-gyp", "0/app/node_modules/node-gyp/gyp/gyp_main.py npm node-gyp",
			"0/app/node_modules/@a/b/package.json npm @a/b", "0/app/node_modules/@a/b/x.py npm @a/b",
			"0/usr/local/go/VERSION toolchain go", "0/usr/local/go/src/runtime/runtime-gdb.py toolchain go",
			"0/usr/lib/ruby/gems/3.3.0/gems/rouge-4/x.py gem rouge-4",
			"0/root/.rustup/toolchains/stable/lib/rustlib/manifest-rustc toolchain rust",
			"0/root/.rustup/toolchains/stable/lib/rustlib/etc/gdb_lookup.py toolchain rust",
		}, ""},
		{"an rpm database that can't be read", `
-- 1/usr/lib/python3.9/site-packages/dnf/x.py --
-- 1/var/lib/rpm/rpmdb.sqlite --
SQLite format 3, it says
`, nil, "rpm"},
		{"an rpm database with a journal", `
-- 1/usr/lib/python3.9/site-packages/dnf/x.py --
-- 1/usr/lib/sysimage/rpm/rpmdb.sqlite --
-- 1/usr/lib/sysimage/rpm/rpmdb.sqlite-wal --
pages
`, nil, "rpm"},
		{"an rpm database without packages, its journal empty", `
-- 1/usr/lib/python3.9/site-packages/dnf/x.py --
-- 1/usr/lib/sysimage/rpm/rpmdb.sqlite --
-- 1/usr/lib/sysimage/rpm/rpmdb.sqlite-wal --
`, nil, ""},
		{"a database that a later layer deletes tells of its time", `
-- 1/usr/bin/x --
-- 1/var/lib/dpkg/info/x.list --
/usr/bin/x
/usr/bin/y
-- 2/var/lib/dpkg/.wh.info --
-- 2/usr/bin/y --
`, []string{"0/usr/bin/x dpkg x"}, ""},
		{"an upgrade buries what the package owned", `
-- 1/usr/bin/x --
1
-- 1/usr/bin/dropped --
-- 1/lib/apk/db/installed --
P:x
F:usr/bin
R:x
R:dropped
-- 2/usr/bin/x --
2
-- 2/usr/bin/.wh.dropped --
-- 2/lib/apk/db/installed --
P:x
F:usr/bin
R:x
`, []string{"0/usr/bin/x apk x", "0/usr/bin/dropped apk x", "1/usr/bin/x apk x"}, ""},
		{"nobody owns what was there before the package", `
-- 1/app/x --
-- 2/app/.wh.x --
-- 3/app/x --
-- 3/var/lib/dpkg/info/x.list --
/app/x
`, []string{"2/app/x dpkg x"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			owners, img := load(t, c.fixture)
			var got []string
			for f := range img.Files() {
				if o, ok := owners.OfFile(f); ok {
					got = append(got, fmt.Sprintf("%d%s %s %s", f.Layer.Index, f.Path, o.Manager, o.Package))
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if owners.Unread != c.unread {
				t.Errorf("unread: %q, want %q", owners.Unread, c.unread)
			}
		})
	}
}

// Of speaks of the final file system only.
func TestOf(t *testing.T) {
	owners, _ := load(t, `
-- 1/usr/bin/x --
-- 1/usr/bin/y --
-- 1/var/lib/dpkg/info/x.list --
/usr/bin/x
-- 1/var/lib/dpkg/info/y.list --
/usr/bin/y
-- 2/var/lib/dpkg/info/.wh.y.list --
-- 2/usr/bin/.wh.y --
`)
	if o, ok := owners.Of("/bin/x"); !ok || o.Package != "x" || !o.Distribution() {
		t.Errorf("Of(/bin/x) = %v, %v; want the package x", o, ok)
	}
	for _, p := range []string{"/usr/bin/y", "/usr/bin/z", "/", ""} {
		if o, ok := owners.Of(p); ok {
			t.Errorf("Of(%s) = %v, want none", p, o)
		}
	}
}

func TestMayOwn(t *testing.T) {
	o := &packages.Owners{Unread: "rpm"}
	for p, want := range map[string]bool{
		"/usr/lib/python3.9/x.py": true, "/lib64/x": true, "/usr/local/lib/x.py": false, "/usr/src/app/x.py": false, "/app/x.py": false,
	} {
		if got := o.MayOwn(p); got != want {
			t.Errorf("MayOwn(%s) = %v, want %v", p, got, want)
		}
	}
	if (&packages.Owners{}).MayOwn("/usr/lib/x.py") {
		t.Error("MayOwn without an unread database")
	}
}

package rootcode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/rootcode"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

const passwd = "-- 1/etc/passwd --\nroot:x:0:0::/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n"

// TestItems checks which paths are there and which are not, by what they are.
func TestItems(t *testing.T) {
	const python = passwd + `
-- 1/usr/local/bin/python3.12 mode=0755 --
ELF
-- 1/usr/local/bin/python link=python3.12 --
-- 1/usr/local/lib/python3.12/os.py --
pass
-- 1/usr/local/lib/python3.12/site-packages/e.pth --
/srv/editable
import x
relative
-- 1/app/main.py --
pass
-- 1/link.py link=app/main.py --
`
	for _, c := range []struct{ name, dockerfile, files, want, not string }{
		{"the chain up to the drop", `ENTRYPOINT ["/e.sh"]` + "\n" + `CMD ["/srv/run"]`, passwd + `
-- 1/bin/sh mode=0755 --
ELF
-- 1/sbin/gosu mode=0755 --
ELF
-- 1/srv/run mode=0755 --
ELF
-- 1/e.sh mode=0755 --
#!/bin/sh
exec gosu app "$@"
`, "/e.sh: the entrypoint, /bin/sh: started by the entrypoint as root, /sbin/gosu: started by the entrypoint as root", "/srv/run"},
		{"what environment and health check name", "ENV LD_PRELOAD=/opt/a.so LD_LIBRARY_PATH=/opt/lib::rel BASH_ENV=/opt/env PATH=/opt/bin:/usr/bin:\nWORKDIR /w\n" +
			`HEALTHCHECK CMD /opt/check --fast` + "\n" + `CMD ["/srv/run"]`, passwd,
			"/opt/check: the health check, /opt/a.so: named by LD_PRELOAD, /opt/env: named by BASH_ENV, /opt/lib: a directory of LD_LIBRARY_PATH, /w: a directory of LD_LIBRARY_PATH, /w/rel: a directory of LD_LIBRARY_PATH, " +
				"/opt/bin: directory 1 of PATH, /usr/bin: directory 2 of PATH, /usr/sbin: a directory of programs", ""},
		{"Python with a script", "WORKDIR /w\n" + `CMD ["python", "-u", "-X", "dev", "/link.py"]`, python,
			"/link.py: the script that Python runs as root, /app: first on Python's import path, /usr/local/lib/python3.12: Python's standard library, " +
				"/usr/local/lib/python3.12/site-packages: where Python finds installed modules, /root/.local/lib/python3.12/site-packages: where root's Python finds modules, " +
				"/srv/editable: put on Python's import path by /usr/local/lib/python3.12/site-packages/e.pth", "/w"},
		{"Python with a module", "WORKDIR /w\nENV PYTHONPATH=/p::q HOME=/h\n" + `CMD ["python", "-m", "agent"]`, python,
			"/w: first on Python's import path, /p: a directory of PYTHONPATH, /w/q: a directory of PYTHONPATH, /h/.local/lib/python3.12/site-packages: where root's Python finds modules", "/app"},
		{"Python that looks nowhere else", "WORKDIR /w\nENV PYTHONPATH=/p HOME=/h\n" + `CMD ["python", "-Im", "agent"]`, python,
			"/usr/local/lib/python3.12: Python's standard library", "/w, /p, /h/.local/lib/python3.12/site-packages"},
		{"Python without the environment, the user site and the working directory", "WORKDIR /w\nENV PYTHONPATH=/p HOME=/h PYTHONSAFEPATH=1\n" + `CMD ["python", "-Es", "-c", "1"]`, python,
			"", "/w, /p, /h/.local/lib/python3.12/site-packages"},
		{"tables", `CMD ["cron", "-f"]`, passwd + `
-- 1/etc/cron.d/x --
SHELL=/bin/sh
*/5 * * * * root test -x /srv/a && /srv/a >/dev/null
1 1 1 1 1 app /srv/theirs
@reboot root "/srv/b"
# 1 1 1 1 1 root /srv/comment
-- 1/etc/crontabs/root --
1 1 1 1 1 /srv/c
-- 1/etc/ld.so.conf.d/z.conf --
/opt/z # /opt/comment
include /etc/x.conf
-- 1/etc/ld-musl-x86_64.path --
/lib:/opt/musl
`, "/srv/a: run by /etc/cron.d/x, /srv/b: run by /etc/cron.d/x, /srv/c: run by /etc/crontabs/root, /opt/z: a directory of libraries, by /etc/ld.so.conf.d/z.conf, " +
			"/opt/musl: a directory of libraries, by /etc/ld-musl-x86_64.path", "/srv/theirs, /srv/comment, /opt/comment, /dev/null"},
		{"without root", "ENV PATH=/app/bin:/usr/bin\nUSER app\n" + `CMD ["/srv/run"]`, passwd,
			"/etc/passwd: the list of accounts, /usr/bin: directory 2 of PATH, /etc/ld.so.preload: libraries that every program loads", "/srv/run, /app/bin, /etc/crontab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _ := scantest.Fact(t, "-- Dockerfile --\nFROM scratch\nCOPY . /\n"+c.dockerfile+"\n"+c.files, rootcode.Fact)
			var all []string
			for _, it := range code.Items {
				all = append(all, fmt.Sprintf("%s: %s", it.Path, it.What))
			}
			has := func(what string) bool {
				return slices.ContainsFunc(all, func(s string) bool { return s == what || strings.HasPrefix(s, what+": ") })
			}
			rest := strings.ReplaceAll(c.want, "libraries, by", "libraries; by")
			for _, w := range strings.Split(rest, ", ") {
				if w = strings.ReplaceAll(w, ";", ","); w != "" && !has(w) {
					t.Errorf("%s is missing", w)
				}
			}
			for _, w := range strings.Split(c.not, ", ") {
				if w != "" && has(w) {
					t.Errorf("%s is there", w)
				}
			}
			if t.Failed() {
				t.Log(strings.Join(all, "\n"))
			}
		})
	}
}

func TestHolds(t *testing.T) {
	code, img := scantest.Fact(t, `
-- 1/a/x.py --
-- 1/a/x.so.1 --
-- 1/a/run mode=0755 --
-- 1/a/link link=/x --
-- 1/a/notes --
-- 1/a/pkg/__init__.py --
-- 1/a/pkg/y.pyc --
-- 1/a/pkg/__pycache__ dir --
-- 1/a/pkg/__pycache__/y.pyc --
-- 1/a/data/z.py --
-- 1/b/x.py --
`, rootcode.Fact)
	for in, want := range map[rootcode.Inside]string{
		rootcode.Nothing:  "",
		rootcode.Files:    "x.py x.so.1 run link notes",
		rootcode.Programs: "run link",
		rootcode.Shared:   "x.so.1",
		rootcode.Modules:  "x.py pkg/__init__.py pkg/y.pyc pkg/__pycache__ pkg/__pycache__/y.pyc",
	} {
		var got []string
		for f := range img.Files() {
			if code.Holds(in, "/a", f) {
				got = append(got, strings.TrimPrefix(f.Path, "/a/"))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%d: got %q, want %q", in, s, want)
		}
	}
}

func TestStarts(t *testing.T) {
	for user, want := range map[string]accounts.Answer{"": accounts.Yes, "USER 0\n": accounts.Yes, "USER app\n": accounts.No, "USER 7\n": accounts.No} {
		code, _ := scantest.Fact(t, "-- Dockerfile --\nFROM scratch\nCOPY . /\n"+user+passwd+"-- 1/x mode=4755 uid=1 --\n-- 1/bin/su mode=4755 --\n", rootcode.Fact)
		if code.Starts != want || code.Setuid == nil || code.Setuid.Path != "/bin/su" {
			t.Errorf("%q: starts as root: %s, setuid: %v", user, code.Starts, code.Setuid)
		}
	}
}

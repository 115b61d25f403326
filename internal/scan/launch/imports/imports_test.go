package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"":                                    "0 ",
		"main.py a -O":                        "1 main.py [a -O]",
		"-u -X dev -W error /m.py":            "1 /m.py",
		"-Xdev -Werror m.py x":                "1 m.py [x]",
		"-m agent --port 1":                   "2 agent [--port 1]",
		"-magent x":                           "2 agent [x]",
		"-Im agent":                           "2 agent isolated safe",
		"-IBc pass":                           "3 pass isolated safe",
		"-P -OO -m a":                         "2 a safe -O2",
		"-sE x":                               "1 x",
		"-":                                   "0 ",
		"--check-hash-based-pycs always m.py": "1 m.py",
		"--version":                           "4 ",
		"-V":                                  "4 ",
		"-i":                                  "0  -i",
	} {
		c := imports.Parse(shell.Known(strings.Fields(line)...))
		got := fmt.Sprintf("%d %s", c.What, c.Target.Text)
		if len(c.Args) > 0 {
			got += fmt.Sprintf(" [%s]", shell.Source(c.Args))
		}
		for _, f := range []struct {
			on   bool
			name string
		}{{c.Isolated, " isolated"}, {c.SafePath, " safe"}, {c.Optimize > 0, fmt.Sprintf(" -O%d", c.Optimize)}, {c.Inspect, " -i"}} {
			if f.on {
				got += f.name
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

const base = `
-- 1/usr/local/bin/python3.12 mode=0755 --
ELF
-- 1/usr/local/bin/python link=python3.12 --
-- 1/usr/local/lib/python3.12/os.py --
pass
-- 1/usr/local/lib/python3.12/secrets.py --
pass
-- 1/usr/local/lib/python3.12/site-packages/flask/__init__.py --
pass
-- 1/usr/local/lib/python3.12/site-packages/flask-3.dist-info/RECORD --
flask/__init__.py,,
-- 1/usr/local/lib/python3.12/site-packages/e.pth --
/srv/tree
import x
-- 1/srv/tree/editable.py --
e = 1
-- 1/app/main.py --
m = 1
-- 1/app/fw/__init__.py --
-- 1/app/fw/drop.py --
d = 1
-- 1/app/fw/fast.cpython-312-x86_64-linux-gnu.so --
ELF
-- 1/app/space/deep/x.py --
x = 1
-- 1/app/agent/__init__.py --
-- 1/app/agent/__main__.py --
a = 1
-- 1/app/both.py --
source = 1
-- 1/app/entry --
#!/usr/local/bin/python
s = 1
-- 1/link.py link=app/main.py --
-- 1/other/main.py --
o = 1
-- 1/opt/venv/pyvenv.cfg --
home = /usr/local/bin
version = 3.12.1
-- 1/opt/venv/bin/python link=/usr/local/bin/python3.12 --
-- 1/opt/venv/lib/python3.12/site-packages/own/__init__.py --
o = "SESSION_TOKEN"
`

// packaged is an interpreter that the distribution's packages brought.
const packaged = `
-- 1/usr/bin/python3.12 mode=0755 --
ELF
-- 1/usr/lib/python3.12/os.py --
pass
-- 1/usr/lib/python3.12/re/__init__.py --
pass
-- 1/usr/lib/python3.12/sitecustomize.py --
pass
-- 1/usr/lib/python3/dist-packages/flask/__init__.py --
pass
-- 1/srv/m.py --
m = 1
-- 1/var/lib/dpkg/info/python3.list --
/usr/bin/python3.12
/usr/lib/python3.12/os.py
/usr/lib/python3.12/re/__init__.py
/usr/lib/python3.12/sitecustomize.py
/usr/lib/python3/dist-packages/flask/__init__.py
`

// find runs a command line in the image of a fixture and shows what it runs and
// what the names of modules stand for.
func find(tb testing.TB, fixture, dir, line, env string, names ...string) string {
	tb.Helper()
	x, img := scantest.Fact(tb.(*testing.T), fixture, imports.Fact)
	words := strings.Fields(line)
	s := imports.Start{Command: imports.Parse(shell.Known(words[1:]...)), Called: words[0], File: img.Lookup(words[0]), Dir: dir,
		Getenv: func(name string) (string, bool, bool) {
			for _, kv := range strings.Fields(env) {
				if n, v, _ := strings.Cut(kv, "="); n == name {
					return v, true, true
				}
			}
			return "", false, false
		}}
	m, at := x.Program(s)
	out := []string{show(m)}
	for _, n := range names {
		out = append(out, n+" "+show(at.Find(n)))
	}
	return strings.Join(out, "\n")
}

func show(m imports.Module) string {
	s := m.Status.String()
	if m.File != nil {
		s += " " + m.File.Path
	}
	if m.Member != "" {
		s += "!" + m.Member
	}
	if m.Package {
		s += " package"
	}
	if m.Compiled {
		s += " bytecode"
	} else if m.Text != "" {
		s += " " + strings.TrimSpace(m.Text)
	}
	return s
}

func TestProgram(t *testing.T) {
	for _, tt := range []struct{ name, dir, line, env, names, want string }{
		{"a script", "/", "/usr/local/bin/python /app/main.py", "", "fw fw.drop fw.fast fw.none main flask os secrets editable sys nothing space space.deep.x",
			`first party /app/main.py m = 1
fw first party /app/fw/__init__.py package
fw.drop first party /app/fw/drop.py d = 1
fw.fast unknown /app/fw/fast.cpython-312-x86_64-linux-gnu.so
fw.none absent
main first party /app/main.py m = 1
flask third party /usr/local/lib/python3.12/site-packages/flask/__init__.py package
os standard library
secrets standard library /usr/local/lib/python3.12/secrets.py
editable first party /srv/tree/editable.py e = 1
sys standard library
nothing absent
space first party package
space.deep.x first party /app/space/deep/x.py x = 1`},
		{"through a link", "/", "/usr/local/bin/python /link.py", "", "fw.drop", "first party /app/main.py m = 1\nfw.drop first party /app/fw/drop.py d = 1"},
		{"isolated", "/", "/usr/local/bin/python -I /app/main.py", "", "fw", "first party /app/main.py m = 1\nfw absent"},
		{"by PYTHONSAFEPATH", "/", "/usr/local/bin/python /app/main.py", "PYTHONSAFEPATH=1 PYTHONPATH=/other", "fw main", "first party /app/main.py m = 1\nfw absent\nmain first party /other/main.py o = 1"},
		{"-E", "/", "/usr/local/bin/python -E /app/main.py", "PYTHONPATH=/other", "main", "first party /app/main.py m = 1\nmain first party /app/main.py m = 1"},
		{"a module", "/app", "/usr/local/bin/python -m fw.drop", "", "", "first party /app/fw/drop.py d = 1"},
		{"a package", "/app", "/usr/local/bin/python -m agent", "", "", "first party /app/agent/__main__.py a = 1"},
		{"a package, elsewhere", "/", "/usr/local/bin/python -m agent", "", "", "absent"},
		{"a module of others", "/app", "/usr/local/bin/python -m flask", "", "", "third party"},
		{"a text", "/app", "/usr/local/bin/python -c import(fw)", "", "fw", "first party import(fw)\nfw first party /app/fw/__init__.py package"},
		{"a directory", "/", "/usr/local/bin/python app/agent", "", "", "first party /app/agent/__main__.py a = 1"},
		{"without an extension", "/", "/usr/local/bin/python /app/entry", "", "", "first party /app/entry #!/usr/local/bin/python\ns = 1"},
		{"nothing there", "/", "/usr/local/bin/python /app/none.py", "", "", "absent"},
		{"input", "/", "/usr/local/bin/python -", "", "", "unknown"},
		{"a virtual environment", "/app", "/opt/venv/bin/python main.py", "", "own flask secrets", `first party /app/main.py m = 1
own first party /opt/venv/lib/python3.12/site-packages/own/__init__.py package o = "SESSION_TOKEN"
flask absent
secrets standard library /usr/local/lib/python3.12/secrets.py`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := find(t, base, tt.dir, tt.line, tt.env, strings.Fields(tt.names)...); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestPackagedInterpreter(t *testing.T) {
	want := `first party /srv/m.py m = 1
re standard library /usr/lib/python3.12/re/__init__.py package
sitecustomize third party /usr/lib/python3.12/sitecustomize.py
flask third party /usr/lib/python3/dist-packages/flask/__init__.py package`
	if got := find(t, packaged, "/", "/usr/bin/python3.12 /srv/m.py", "", "re", "sitecustomize", "flask"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

package trace

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/source"
)

// texts are modules by name, as sources.
type sourceTexts map[string]string

func (s sourceTexts) compile(t *testing.T, name string) *ir.Module {
	t.Helper()
	m, err := source.Compile(name+".py", []byte(s[name]), source.Options{Limits: source.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tree finds the modules of sourceTexts. Those in "lib" are found once that is on the import path.
type tree struct {
	t       *testing.T
	modules sourceTexts
	path    *[]string
}

func (m tree) Extend(dir string, first bool) { *m.path = append(*m.path, dir) }

func (m tree) Find(name string) Found {
	if slices.Contains(*m.path, "/lib") && m.modules["lib/"+name] != "" {
		name = "lib/" + name
	}
	if _, ok := m.modules[name]; ok {
		isPackage := false
		for other := range m.modules {
			isPackage = isPackage || strings.HasPrefix(other, name+".")
		}
		return Found{Origin: FirstParty, Module: m.modules.compile(m.t, name), Package: isPackage}
	}
	return library{dir: "testdata/none"}.Find(name)
}

const drops = "import os\nos.environ.clear()\nos.setgroups([])\nos.setgid(1000)\nos.setuid(1000)\n"

// TestModules follows imports across the program's own modules.
func TestModules(t *testing.T) {
	tests := []struct {
		name    string
		modules sourceTexts
		want    effect.Holds
	}{
		{"import drops", sourceTexts{"main": "import boot\nimport agentrt\nagentrt.serve()", "boot": drops}, effect.Yes},
		{"imported too late", sourceTexts{"main": "import agentrt\nagentrt.serve()\nimport boot", "boot": drops}, effect.No},
		{
			"relative import in a package",
			sourceTexts{"main": "from app.core import start\nstart()", "app": "", "app.core": "from .safe import boot\nfrom . import run\n" +
				"def start():\n boot.drop()\n run.go()", "app.safe": "from . import boot", "app.safe.boot": "def drop():\n " + strings.ReplaceAll(strings.TrimSpace(drops), "\n", "\n "),
				"app.run": "import agentrt\ndef go():\n agentrt.serve()"}, effect.Yes,
		},
		{"star import", sourceTexts{"main": "from boot import *\ndrop()\nimport agentrt\nagentrt.serve()", "boot": "def drop():\n " + strings.ReplaceAll(strings.TrimSpace(drops), "\n", "\n ")}, effect.Yes},
		{"star import of os", sourceTexts{"main": "from os import *\nimport agentrt\nenviron.clear()\nsetgroups([])\nsetgid(1)\nsetuid(1)\nagentrt.serve()"}, effect.Yes},
		{"module of a directory that is added", sourceTexts{"main": "import os, sys\nsys.path.insert(0, os.path.join('/', 'lib'))\nimport boot\nimport agentrt\nagentrt.serve()", "lib/boot": drops}, effect.Yes},
		{"directory that is added too late", sourceTexts{"main": "import agentrt\nagentrt.serve()\nimport sys\nsys.path.append('/lib')\nimport boot\nagentrt.serve()", "lib/boot": drops}, effect.No},
		{"module of a directory that is not known", sourceTexts{"main": "import sys\nsys.path.insert(0, sys.argv[1])\nimport boot\n" + drops + "import agentrt\nagentrt.serve()"}, effect.Undecided},
		{"import path that is replaced", sourceTexts{"main": "import sys\nsys.path += ['/lib']\nimport boot\n" + drops + "import agentrt\nagentrt.serve()"}, effect.Undecided},
		{"module of its own by name", sourceTexts{"main": "import importlib\nimportlib.import_module('boot')\nimport agentrt\nagentrt.serve()", "boot": drops}, effect.Yes},
		{"module of nobody by name", sourceTexts{"main": "import importlib\nimportlib.import_module('plugin')\n" + drops + "import agentrt\nagentrt.serve()"}, effect.No},
		{"run_module of its own", sourceTexts{"main": "import runpy\n" + drops + "runpy.run_module('app', run_name='__main__')", "app": "if __name__ == '__main__':\n import agentrt\n agentrt.serve()"}, effect.Yes},
		{"missing module is caught", sourceTexts{"main": "try:\n import boot\nexcept ImportError:\n pass\nimport agentrt\nagentrt.serve()"}, effect.No},
		{"missing module ends the program", sourceTexts{"main": drops + "import agentrt\nif agentrt.X:\n import nothing\nagentrt.serve()"}, effect.Yes},
		{"modules that import each other", sourceTexts{"main": "import a\na.f()\nimport agentrt\nagentrt.serve()", "a": "import b\ndef f():\n b.g()", "b": "import a\n" + "def g():\n " + strings.ReplaceAll(strings.TrimSpace(drops), "\n", "\n ")}, effect.Yes},
		{"class of another module", sourceTexts{"main": "from lib import Base\nclass A(Base):\n uid = 7\nA().drop()\nimport agentrt\nagentrt.serve()", "lib": "import os\nclass Base:\n uid = 0\n def drop(self):\n  os.environ.clear()\n  os.setgroups([])\n  os.setgid(self.uid)\n  os.setuid(self.uid)"}, effect.Yes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := Analyse(test.modules.compile(t, "main"), tree{t, test.modules, new([]string)}, root(), Options{Watched: watched})
			if got := out.Dropped(); got != test.want {
				t.Errorf("drop is %s, want %s", verdicts[got], verdicts[test.want])
				tell(t, out)
			}
		})
	}
}

// TestLoaded lists the modules that run as root, and runs what the interpreter imports by itself first.
func TestLoaded(t *testing.T) {
	m := sourceTexts{"main": "import one\n" + drops + "import two\nimport agentrt\nagentrt.serve()", "one": "import three", "two": "", "three": "", "sitecustomize": "import agentrt\nagentrt.serve()"}
	out := Analyse(m.compile(t, "main"), tree{t, m, new([]string)}, root(), Options{Watched: watched})
	if got := strings.Join(out.Loaded, " "); got != "one.py three.py" || out.Dropped() != effect.Yes {
		t.Errorf("loaded as root: %s; drop is %s", got, verdicts[out.Dropped()])
	}
	if len(out.Late) != 1 || out.Late[0].File != "two.py" || out.Late[0].Place.Line != 7 {
		t.Errorf("loaded later: %v", out.Late)
	}
	out = Analyse(m.compile(t, "main"), tree{t, m, new([]string)}, root(), Options{Watched: watched, Before: []string{"sitecustomize"}})
	if out.Dropped() != effect.No {
		t.Errorf("drop is %s", verdicts[out.Dropped()])
	}
}

// TestUnreadable loses track where one of the program's own modules can't be read, and says so.
func TestUnreadable(t *testing.T) {
	m := sourceTexts{"main": drops + "import broken\nimport agentrt\nagentrt.serve()"}
	out := Analyse(m.compile(t, "main"), broken{}, root(), Options{Watched: watched})
	if got := out.Dropped(); got != effect.Undecided || len(out.Losses) != 1 || out.Losses[0].Place.Line != 6 {
		t.Errorf("drop is %s, losses %v", verdicts[got], out.Losses)
	}
}

type broken struct{}

func (broken) Find(name string) Found {
	if name == "broken" {
		return Found{Origin: FirstParty, Reason: "bad magic number"}
	}
	return library{}.Find(name)
}

// TestSurroundings uses what is known of the image.
func TestSurroundings(t *testing.T) {
	serve := "\nimport agentrt\nagentrt.serve()"
	byName := "import os, pwd\nos.environ.clear()\nu = pwd.getpwnam('agent')\nos.initgroups(u.pw_name, u.pw_gid)\nos.setgid(u.pw_gid)\nos.setuid(u.pw_uid)" + serve
	switched := "import os\nif os.environ.get('DROP', '1') == '1':\n os.setgroups([])\n os.setgid(1000)\n os.setuid(1000)\nos.environ.clear()" + serve
	user := func(uid, gid int64) func(string) (int64, int64, bool) {
		return func(string) (int64, int64, bool) { return uid, gid, true }
	}
	tests := []struct {
		name, text string
		start      effect.State
		options    Options
		want       effect.Holds
	}{
		{"account by name", byName, root(), Options{User: user(1000, 1000)}, effect.Yes},
		{"account that is root", byName, root(), Options{User: user(0, 0)}, effect.No},
		{"account whose group is root's", byName, root(), Options{User: user(1000, 0)}, effect.No},
		{"account in the group of root", byName, root(), Options{Members: func(string) ([]int64, bool) { return []int64{44, 0}, true }}, effect.No},
		{"condition of the environment", switched, root(), Options{}, effect.No},
		{"condition of the image's environment", switched, root(), Options{Env: map[string]string{"DROP": "1"}}, effect.Yes},
		{"switched off by the image", switched, root(), Options{Env: map[string]string{"DROP": "0"}}, effect.No},
		{"started as a user", "import os\nif os.getuid() == 0:\n raise SystemExit(1)" + serve, effect.Start(effect.Number(7), effect.Number(7), 3), Options{}, effect.Yes},
		{"start not known", serve, effect.Start(effect.ID{}, effect.ID{}, 3), Options{}, effect.Undecided},
		{"budget", "n = 0\nwhile n < 10**9:\n n += 1\n print(n)" + serve, root(), Options{Steps: 10}, effect.Undecided},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.Watched = watched
			out := Analyse(sourceTexts{"main": test.text}.compile(t, "main"), library{}, test.start, test.options)
			if got := out.Dropped(); got != test.want {
				t.Errorf("drop is %s, want %s", verdicts[got], verdicts[test.want])
				tell(t, out)
			}
		})
	}
}

// TestEffects shows the effects of a program in their order, with lines, and without any text of its own.
func TestEffects(t *testing.T) {
	out := Analyse(sourceTexts{"main": `import os, socket, subprocess
token = os.environ["SESSION_TOKEN"]
os.unsetenv("SESSION_TOKEN")
os.environ.clear()
s = socket.socket()
s.bind(("0.0.0.0", 8080))
os.setgroups([5])
os.setresgid(5, 5, 5)
os.setuid(5)
subprocess.run(["curl", f"--token={token}", "private"])
`}.compile(t, "main"), library{}, root(), Options{Watched: watched})
	paths := out.Judged()
	if len(paths) != 1 || paths[0].Sink.Kind != effect.SpawnSink || paths[0].Sink.Argv != 1 || paths[0].Sink.Command != nil {
		t.Fatalf("paths are %+v", paths)
	}
	var got []string
	for _, e := range paths[0].Past.Effects() {
		got = append(got, e.Place.String()+" "+e.Call+" "+strings.Join(e.Variables.Names(out.Watched), ",")+" "+e.Note)
	}
	want := []string{
		`main.py:2 os.environ["SESSION_TOKEN"] SESSION_TOKEN `,
		`main.py:3 os.unsetenv("SESSION_TOKEN") SESSION_TOKEN os.environ still has it`,
		"main.py:4 os.environ.clear() SESSION_TOKEN,CONTROL_PLANE_URL,SESSION_ID all variables",
		"main.py:6 socket.socket().bind([..., 8080])  0.0.0.0:8080",
		"main.py:7 os.setgroups([5])  ",
		"main.py:8 os.setresgid(5, 5, 5)  ",
		"main.py:9 os.setuid(5)  ",
		"main.py:10 subprocess.run([..., ..., ...]) SESSION_TOKEN ",
		"main.py:10 subprocess.run([..., ..., ...])  ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

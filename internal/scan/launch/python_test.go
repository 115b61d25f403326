package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// drops is a program that does all that the checklist asks for.
const drops = `import os
token = os.environ.pop("T")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
exec(open("/workspace/code").read())
`

// half is a module that gives root up, for a program that does the rest.
const half = `import os
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
`

// python3 is what an interpreter of an image comes with.
var python3 = tree{"/usr/local/bin/python3.12": elf, "/usr/local/bin/python3": "-> python3.12", "/usr/local/lib/python3.12/os.py~": "pass",
	"/usr/local/lib/python3.12/site-packages/agentrt.py~":               "def serve(x): pass\n",
	"/usr/local/lib/python3.12/site-packages/agentrt.dist-info/RECORD~": "agentrt.py,,\n",
	"/usr/local/bin/uvicorn":                                            "#!/usr/local/bin/python3\nimport uvicorn\n",
	"/usr/local/lib/python3.12/site-packages/uvicorn/__init__.py~":      "pass",
	"/usr/local/lib/python3.12/site-packages/uvicorn/__main__.py~":      "pass",
	"/usr/local/lib/python3.12/site-packages/uvicorn.dist-info/RECORD~": "uvicorn/__init__.py,,\nuvicorn/__main__.py,,\n../../../bin/uvicorn,,\n"}

// sample is one of the bytecode samples of package trace.
func sample(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("../python/trace/testdata/3.12", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// TestPython runs a command as root, in /app, and shows how the paths end that count.
// What a program does is for package trace to tell; here it matters how programs and
// modules are reached, and from where they go on.
func TestPython(t *testing.T) {
	const good = "exec(...) 1000:1000 safe"
	const late = "exec(...) root:0 inherited"
	main := tree{"/app/main.py~": drops}
	undone := tree{"/app/main.py~": "import os\nexec(open('/workspace/code').read())\n"}
	pyz, err := scantest.Zip("__main__.py", "import half\n"+strings.Replace(drops, "os.setgroups([])\nos.setgid(1000)\nos.setuid(1000)", "half.drop()", 1), "half.py", half)
	if err != nil {
		t.Fatal(err)
	}
	imports := func(from string) string {
		return from + strings.Replace(drops, "os.setgroups([])\nos.setgid(1000)\nos.setuid(1000)", "drop()", 1)
	}
	for _, tt := range []struct {
		name, command, want string
		files               tree
	}{
		{"a script", "python3 /app/main.py", good, main},
		{"a relative script", "python3 -u -X dev main.py --flag", good, main},
		{"root to the end", "python3 main.py", late + " [T]", undone},
		{"a module", "python3 -m fw.main", good, tree{"/app/fw/__init__.py~": "", "/app/fw/main.py~": imports("from .half import drop\n"), "/app/fw/half.py~": half}},
		{"a package", "python3 -m fw", good, tree{"/app/fw/__init__.py~": "", "/app/fw/__main__.py~": imports("from fw.half import drop\n"), "/app/fw/half.py~": half}},
		{"a directory", "python3 /app/fw", good, tree{"/app/fw/__main__.py~": imports("from half import drop\n"), "/app/fw/half.py~": half}},
		{"a zip file", "python3 /app/a.pyz", good, tree{"/app/a.pyz~": pyz}},
		{"a program of its own", "/app/entry", good, tree{"/app/entry": "#!/usr/bin/env -S python3 -u\n" + drops}},
		{"a console script", "agent", good, tree{"/usr/local/bin/agent": "#!/usr/local/bin/python3\nimport sys\nfrom agent.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n",
			"/usr/local/lib/python3.12/site-packages/agent/__init__.py~": "", "/usr/local/lib/python3.12/site-packages/agent/cli.py~": "def main():\n    " + strings.ReplaceAll(strings.TrimSpace(drops), "\n", "\n    ") + "\n",
			"/usr/local/lib/python3.12/site-packages/agent-1.dist-info/RECORD~":          "agent/__init__.py,,\nagent/cli.py,,\n../../../bin/agent,,\n",
			"/usr/local/lib/python3.12/site-packages/agent-1.dist-info/direct_url.json~": `{"url": "file:///src", "dir_info": {}}`}},
		{"a console script with a long path", "agent", good, tree{"/usr/local/bin/agent": "#!/bin/sh\n'''exec' /usr/local/bin/python3 \"$0\" \"$@\"\n' '''\n" + drops}},
		{"on PYTHONPATH", "env PYTHONPATH=/lib/own python3 main.py", good, tree{"/app/main.py~": imports("from half import drop\n"), "/lib/own/half.py~": half}},

		{"bytecode", "python3 /app/main.pyc", "agentrt.serve(..., ..., ...) 1000:1000 safe [T]", tree{"/app/main.pyc~": sample(t, "g01_module_level.pyc")}},
		{"bytecode without an extension", "python3 main", "agentrt.serve(..., ..., ...) 1000:1000 safe [T]", tree{"/app/main~": sample(t, "g01_module_level.pyc")}},
		{"bytecode that imports bytecode", "python3 -m g14", "agentrt.serve(..., ..., ...) sandbox:1001 safe [T]", tree{"/etc/passwd~": "root:x:0:0::/:/bin/sh\nsandbox:x:1001:1001::/:/bin/sh\n", "/app/g14.pyc~": sample(t, "g14_helper_module.pyc"), "/app/seclib.pyc~": sample(t, "seclib.pyc")}},
		{"bytecode that root keeps", "python3 main.pyc", "agentrt.serve(..., ..., ...) 1000:1000 inherited [T]", tree{"/app/main.pyc~": sample(t, "b02_no_setgroups.pyc")}},

		{"dropped before", "gosu app python3 main.py", "exec(...) app:1000 safe shown:T", tree{"/app/main.py~": "import os\nt = os.environ.pop('T')\nexec(open('/workspace/code').read())\n"}},
		{"dropped before, and stripped", "env -u T gosu app python3 main.py", "exec(...) app:1000 safe", undone},
		{"dropped by one that drops", "python3 start.py", "exec(...) 1000:1000 safe [T] shown:T", tree{
			"/app/start.py~": "import os\nos.setgroups([])\nos.setgid(1000)\nos.setuid(1000)\nos.execvp('python3', ['python3', 'main.py'])\n",
			"/app/main.py~":  undone["/app/main.py~"]}},
		{"dropped by gosu, which Python starts", "python3 start.py", "exec(...) app:1000 safe [T] shown:T", tree{
			"/app/start.py~": "import os\nos.execvp('gosu', ['gosu', 'app', 'python3', '/app/main.py'])\n", "/app/main.py~": undone["/app/main.py~"]}},

		{"an application that is served", "uvicorn fw.web:app --port 80", "uvicorn 1000:1000 safe", tree{"/app/fw/__init__.py~": "",
			"/app/fw/web.py~": "import os\n" + strings.Replace(imports("from fw.half import drop\n"), "exec(open(\"/workspace/code\").read())\n", "app = None\n", 1), "/app/fw/half.py~": half}},
		{"an application that is served as root", "python3 -m uvicorn web:app", "python -m uvicorn root:0 inherited [T]", tree{"/app/web.py~": "app = None\n"}},
		{"a program of others", "uvicorn --factory web", "uvicorn root:0 inherited [T]", nil},
		{"a server of the standard library", "gosu app python3 -m http.server", "python -m http.server app:1000 safe [T] shown:T", nil},
		{"what is awaited is started", "python3 main.py", late + " [T]", tree{"/app/main.py~": "import asyncio\nasyncio.gather().start()\nasyncio.gather(print).run()\n" + undone["/app/main.py~"]}},
		{"isolated", "python3 -I main.py", "", tree{"/app/main.py~": imports("from half import drop\n"), "/app/half.py~": half}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: strings.Fields(tt.command), WorkingDir: "/app"}, tools, python3, tt.files)
			l.Outcome.Paths = l.Outcome.Judged()
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s\n%v", tt.command, got, tt.want, l.Outcome.Losses)
			}
		})
	}
}

// TestPythonPredicted has sources of a build context on a base that was not read.
func TestPythonPredicted(t *testing.T) {
	for _, tt := range []struct {
		name, command, want string
		files               tree
	}{
		{"a script", "python main.py", "exec(...) 1000:1000 safe", tree{"/app/main.py~": drops}},
		{"a module beside modules", "python -m fw", "exec(...) 0:0 inherited", tree{"/app/fw/__init__.py~": "", "/app/fw/__main__.py~": "import os, fastapi\nfrom fw import strip\nstrip.strip()\nexec(input())\n",
			"/app/fw/strip.py~": "import os\ndef strip():\n    os.environ.pop('T', None)\n"}},
		{"an application", "uvicorn web:app", "uvicorn 1000:1000 safe", tree{"/app/web.py~": strings.Replace(drops, "exec(open(\"/workspace/code\").read())", "app = 1", 1)}},
		{"a program of the base", "node server.js", "node 0:0 inherited lost [T]", nil},
		{"a script of the base", "python /opt/x.py", "python 0:0 inherited lost [T]", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			argv := strings.Fields(tt.command)
			s := scanner()
			img := s.Assemble(image.Config{Entrypoint: argv, WorkingDir: "/app"}, "python:3.12", nil, []image.Predicted{{Content: tt.files.content(t, s), Step: -1}})
			l := of(t, img, &dockerfile.Build{Entrypoint: &dockerfile.Command{Args: argv, Exec: true}})
			l.Outcome.Paths = l.Outcome.Judged()
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s\n%v", tt.command, got, tt.want, l.Outcome.Losses)
			}
		})
	}
}

// TestPythonSetting says whether the user that Python drops to is a setting of the image.
func TestPythonSetting(t *testing.T) {
	drop := "import os\nos.setgroups([])\nos.setgid(1000)\nos.setuid(%s)\nexec(open('/x').read())\n"
	for uid, want := range map[string]bool{"int(os.environ['UID_OF'])": true, "1000": false, "int(os.environ['OTHER']) + 988": false} {
		l := launch(t, image.Config{Entrypoint: []string{"python3", "/app/main.py"}, Env: []string{"UID_OF=1000", "OTHER=12"}}, tools, python3,
			tree{"/app/main.py~": fmt.Sprintf(drop, uid)})
		if l.Drop.Verdict != Shown || l.Drop.Loose != want {
			t.Errorf("setuid(%s): %v, loose %v", uid, l.Drop.Verdict, l.Drop.Loose)
		}
	}
}

// TestPythonDropOfOthers takes the drop of a program that Python becomes for that of the
// launch, and what it only runs to prepare for none.
func TestPythonDropOfOthers(t *testing.T) {
	for body, want := range map[string]string{
		"import os\nos.execvp('gosu', ['gosu', 'app', 'python3', '/app/real.py'])\n": "shown gosu app :2",
		"import os, subprocess\nsubprocess.run(['sh', '-c', 'chown app /data'])\n" +
			"os.setgroups([])\nos.setgid(1000)\nos.setuid(1000)\nexec(open('/x').read())\n": "shown os.setuid 1000 :5",
		"import subprocess\nsubprocess.run(['gosu', 'app', 'sh', '-c', 'true'])\nexec(open('/x').read())\n": "none",
	} {
		l := launch(t, image.Config{Entrypoint: []string{"python3", "/app/main.py"}}, tools, python3,
			tree{"/app/main.py~": body, "/app/real.py~": "exec(open('/x').read())\n"})
		got := l.Drop.Verdict.String()
		if l.Drop.Verdict == Shown {
			got += fmt.Sprintf(" %s %s :%d", l.Drop.How, l.Drop.User.Spec, l.Drop.Line)
		}
		if got != want {
			t.Errorf("%s\ngot %s, want %s (%s)", body, got, want, l.Drop.Reason)
		}
	}
}

// TestPythonRan lists what a Python program runs as root: modules, and commands that it
// says itself.
func TestPythonRan(t *testing.T) {
	main := "import sys, subprocess\nsys.path.insert(0, '/lib/own')\nimport early\nsubprocess.run(['/bin/init-data', '-v'])\n" +
		"import os\nos.setgroups([])\nos.setgid(1000)\nos.setuid(1000)\nimport late\nsubprocess.run(['/bin/after'])\nexec(open('/x').read())\n"
	l := launch(t, image.Config{Entrypoint: []string{"python3", "/app/main.py"}}, tools, python3,
		tree{"/app/main.py~": main, "/lib/own/early.py~": "", "/app/late.py~": "", "/bin/init-data": elf, "/bin/after": elf})
	var got []string
	for _, r := range l.Ran {
		got = append(got, r.Path)
	}
	if want := "/usr/local/bin/python3.12 /app/main.py /lib/own/early.py /bin/init-data"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

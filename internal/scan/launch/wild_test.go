package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// TestInTheWild has the constructs that entrypoints of real sandboxes use.
func TestInTheWild(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   image.Config
		files tree
		want  string // how the paths end
		drop  string
	}{
		{"a drop by su, which the image's own settings pass by", image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"server"}, Env: []string{"SANDBOX_USER_ID=0"}},
			tree{"/e.sh": `#!/bin/bash
set -eo pipefail
if [[ $NO_SETUP == "true" ]]; then
  "$@"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "must run as root"
  exit 1
fi
if [ -z "$SANDBOX_USER_ID" ]; then
  echo "SANDBOX_USER_ID is not set"
  exit 1
fi
if [[ "$SANDBOX_USER_ID" -eq 0 ]]; then
  export HOME=/root
  mkdir -p /root/.cache
  "$@"
else
  useradd -l -m -u $SANDBOX_USER_ID -s /bin/bash app
  su app /bin/bash -c "${*@Q}"
fi
`}, "server root:0 inherited switched lost [T]\nserver root:0 inherited switched lost [T]\na text that is computed app:1000 safe switched [T] shown:T", "partial/unknown su app :21"},
		{"a drop that re-executes the script", image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"server"}},
			tree{"/e.sh": "#!/bin/sh\nset -e\nif [ \"$1\" = 'server' -a \"$(id -u)\" = '0' ]; then\n\tfind . \\! -user app -exec chown app '{}' +\n\texec gosu app \"$0\" \"$@\"\nfi\num=\"$(umask)\"\nif [ \"$um\" = '0022' ]; then umask 0077; fi\nexec \"$@\"\n"},
			"server app:1000 safe [T] maybe:T shown:T", "partial/shown gosu app :5"},
		{"arguments that are split", image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"server"}},
			tree{"/e.sh": "#!/bin/bash\nchown -R app /data\nexec gosu app $@\n"}, "server app:1000 safe [T] maybe:T shown:T", "shown gosu app :3"},
		{"su in the shell form", image.Config{Cmd: []string{"/bin/sh", "-c", `su app -c "python3 /app/x.py"`}}, tree{"/app/x.py~": "pass\n"},
			"end of the program app:1000 safe [T] shown:T", "shown su app :1"},
		{"su that keeps all", image.Config{Entrypoint: []string{"/e.sh"}}, tree{"/e.sh": "#!/bin/bash\nsu app -p -c 'sleep infinity'\n"},
			"sleep app:1000 safe [T] shown:T", "shown su app :2"},
		{"sudo as a drop, with names to unset", image.Config{Entrypoint: []string{"tini", "-g", "--", "/start.sh"}, Cmd: []string{"server"}, Env: []string{"NB_USER=app"}},
			tree{"/start.sh": `#!/bin/bash
set -e
unset_explicit_env_vars () {
    if [ -n "${ENV_VARS_TO_UNSET}" ]; then
        for env_var_to_unset in $(echo "${ENV_VARS_TO_UNSET}" | tr ',' ' '); do
            unset "${env_var_to_unset}"
        done
        unset ENV_VARS_TO_UNSET
    fi
}
if [ $# -eq 0 ]; then cmd=( "bash" ); else cmd=( "$@" ); fi
if [ "$(id -u)" == 0 ]; then
    unset_explicit_env_vars
    exec sudo --preserve-env --set-home --user "${NB_USER}" LD_LIBRARY_PATH="${LD_LIBRARY_PATH}" PATH="${PATH}" "${cmd[@]}"
else
    unset_explicit_env_vars
    exec "${cmd[@]}"
fi
`}, "server app:1000 safe [T] maybe:T shown:T", "shown sudo app :14"},
		{"a drop in a function", image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"server"}}, tree{"/e.sh": `#!/command/with-contenv sh
drop() {
    if [ "$(id -u)" = "0" ]; then
        exec s6-setuidgid app "$@"
    fi
    exec "$@"
}
if [ $# -eq 0 ]; then drop sleep infinity; fi
if command -v "$1" >/dev/null 2>&1; then drop "$@"; fi
drop sleep infinity "$@"
`, "/command/with-contenv": elf}, "server app:1000 safe [T] maybe:T shown:T", "shown s6-setuidgid app :4"},
		{"a supervisor of the image's own", image.Config{Entrypoint: []string{"/supervisor", "--", "gosu", "app", "server"}}, tree{"/supervisor": elf},
			"/supervisor root:0 inherited lost [T]", "unknown"},
		{"a variable in the shell form", image.Config{Entrypoint: []string{"/bin/sh", "-c", "$CONFIG_PATH/start-up.sh"}, Env: []string{"CONFIG_PATH=/root/.cfg"}},
			tree{"/root/.cfg/start-up.sh": "#!/bin/bash\nfunction start() {\n  until curl -s localhost; do sleep 1; done\n}\nstart &\nMATPLOTLIBRC=/root/.config server --ip 0.0.0.0 >/dev/null 2>&1\n"},
			"server root:0 inherited lost [T]", "unknown"},
		{"several processes", image.Config{Entrypoint: []string{"sh", "-c", "dockerd-entrypoint.sh & exec gosu app server"}}, tree{"/usr/bin/dockerd-entrypoint.sh": elf},
			"server app:1000 safe [T] maybe:T shown:T", "shown gosu app :1"},
		{"a login shell for whoever", image.Config{Entrypoint: []string{"/e.sh"}}, tree{"/e.sh": "#!/bin/bash\necho hello\nexec bash --login \"$@\"\n"},
			"a shell root:0 inherited [T]", "none"},
		{"D26", image.Config{Cmd: []string{"python3", "/app/agent.py"}, Env: []string{"T=secret"}}, tree{"/app/agent.py~": "import os\nkey = os.environ['T']\nexec(input())\n"},
			"exec(...) root:0 inherited [T]", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, tt.cfg, tools, python3, tree{"/usr/bin/server": elf}, tt.files)
			l.Outcome.Paths = l.Outcome.Judged()
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, tt.want, l.Outcome.Losses)
			}
			if got := show(l.Drop); got != tt.drop {
				t.Errorf("got %s (%s), want %s", got, l.Drop.Reason, tt.drop)
			}
		})
	}
}

// TestArgument is the value of a watched variable on a command line: shown with its
// place, never with the value.
func TestArgument(t *testing.T) {
	for script, want := range map[string]string{
		`exec server --token "$T"`:                          "/e.sh:2 server",
		"exec server \\\n --auth-token=${T}":                "/e.sh:2 server",
		"set -- server -t $T\nexec \"$@\"":                  "/e.sh:3 server",
		"X=\"Bearer $T\"\nexec server -H \"$X\"":            "/e.sh:3 server",
		"exec server --token \"$(echo $T)\"":                "/e.sh:2 server",
		"su app -c \"server --token $T\"":                   "/e.sh:2 su, /e.sh:2 sh",
		"exec sh -c 'exec server --token \"$1\"' -- \"$T\"": "/e.sh:2 sh, entrypoint:1 server",
		"exec server --token-file /run/token":               "",
		"exec server --length ${#T}":                        "",
		"[ -n \"$T\" ] || exit 1\nexec server":              "",
		"exec server ${T:+--with-token}":                    "",
		"T=gone\nexec server --token $T":                    "",
		"server --token \"$T\" &\nexec sleep infinity":      "/e.sh:2 server",
	} {
		l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Env: []string{"T=hunter2"}}, tools, tree{"/e.sh": "#!/bin/sh\n" + script + "\n", "/usr/bin/server": elf})
		var got []string
		for _, a := range l.Arguments {
			got = append(got, fmt.Sprintf("%s %s", a.Place, a.Call))
		}
		if s := strings.Join(got, ", "); s != want || strings.Contains(fmt.Sprint(l.Outcome), "hunter2") {
			t.Errorf("%s: got %q, want %q", script, s, want)
		}
	}
}

func TestParents(t *testing.T) {
	for script, want := range map[string]string{
		`exec gosu app server`:                      "",
		`exec gosu app tini -- server`:              "tini app [T]",
		`gosu app server`:                           "/bin/sh root [T]",
		"unset T\ngosu app sh -c 'server; true'":    "/bin/sh root [T], sh app []",
		`exec gosu app sh -c 'exec server'`:         "",
		`exec gosu app sh -c server`:                "sh app [T] maybe",
		`exec su app -c 'exec server'`:              "su root [T]",
		`exec env -u T gosu app timeout 9 server`:   "timeout app []",
		"exec tini -- gosu app dumb-init -- server": "tini root [T], dumb-init app [T]",
	} {
		l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}}, tools, tree{"/e.sh": "#!/bin/sh\n" + script + "\n", "/usr/bin/server": elf, "/usr/bin/timeout": elf})
		var got []string
		for _, p := range l.Parents[0] {
			s := fmt.Sprintf("%s %s %v", p.Name, p.State.UID.Effective, p.State.Initial.Names(l.Outcome.Watched))
			if p.Maybe {
				s += " maybe"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: got %q, want %q", script, s, want)
		}
	}
}

func TestSteps(t *testing.T) {
	l := launch(t, image.Config{Entrypoint: []string{"tini", "--", "/e.sh"}}, tools, python3, tree{"/usr/bin/migrate": elf,
		"/e.sh":         "#!/bin/sh\nmigrate\nif [ -z \"$DEBUG\" ]; then exec 2>/dev/null; fi\nunset T\nexec setpriv --no-new-privs gosu app python3 /app/main.py\n",
		"/app/main.py~": "import os\nos.environ.pop('T', None)\nexec(input())\n"})
	want := `/e.sh:2 migrate
/e.sh:3 a condition on the environment
/e.sh:4 unset T
/e.sh:5 setpriv
/e.sh:5 setpriv --no-new-privs
/e.sh:5 gosu app
`
	if got := steps(l.Outcome.Judged()[0]); !strings.HasPrefix(got, want) || !strings.Contains(got, "/app/main.py:3 ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRan(t *testing.T) {
	l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Env: []string{"BASH_ENV=/env.sh"}}, tools, python3, tree{
		"/e.sh":    "#!/bin/bash\n. /lib.sh\nprepare\n[ -n \"$X\" ] && /opt/x.sh\npython3 /app/migrate.py\nexec gosu app /opt/later.sh\n",
		"/lib.sh~": "prepare() { /opt/deep.sh; }\n", "/opt/deep.sh": "#!/bin/sh\n:\n", "/opt/x.sh": "#!/bin/sh\n. /more.sh\n", "/more.sh~": ":\n", "/env.sh~": ":\n",
		"/opt/later.sh": "#!/bin/sh\n. /theirs.sh\n", "/theirs.sh~": ":\n", "/app/migrate.py~": "import os\n"})
	var got []string
	for _, r := range l.Ran {
		got = append(got, r.Path)
	}
	want := "/e.sh /bin/bash /env.sh /lib.sh /usr/sbin/gosu /opt/deep.sh /bin/dash /usr/local/bin/python3.12 /app/migrate.py /opt/x.sh /more.sh"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

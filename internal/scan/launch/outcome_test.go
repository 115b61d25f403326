package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// ends shows how the paths of an outcome end, one a line: what starts there, as
// which user and group, the supplementary groups, the watched variables in its
// environment and, after "shown:", those that /proc shows to that user.
func ends(o effect.Outcome) string {
	var out []string
	for _, p := range o.Paths {
		s := fmt.Sprintf("%s %s:%s %s", p.Sink.Call, id3(p.State.UID), id3(p.State.GID), [...]string{"?", "inherited", "safe", "root"}[p.State.Groups])
		for _, f := range []struct {
			on   bool
			name string
		}{{p.State.NoNewPrivileges, "nnp"}, {p.State.CapsKept, "caps"}, {p.State.Switched, "switched"}, {p.State.Lost, "lost"}} {
			if f.on {
				s += " " + f.name
			}
		}
		if names := p.State.Process.Names(o.Watched); len(names) > 0 {
			s += " [" + strings.Join(names, " ") + "]"
		}
		if names := (p.State.Maybe & p.State.Process).Names(o.Watched); len(names) > 0 {
			s += " maybe:" + strings.Join(names, " ")
		}
		if names := p.State.Exposed().Names(o.Watched); len(names) > 0 {
			s += " shown:" + strings.Join(names, " ")
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func id3(i effect.IDs) string {
	if i == effect.Same(i.Real) {
		return i.Real.String()
	}
	return fmt.Sprintf("%s/%s/%s", i.Real, i.Effective, i.Saved)
}

// steps are the effects of a path, one a line.
func steps(p effect.Path) string {
	var out []string
	for _, e := range p.Past.Effects() {
		out = append(out, e.Place.String()+" "+e.Call)
	}
	return strings.Join(out, "\n")
}

// TestEnds runs /e.sh with the command "server", an ELF binary, in an image that
// sets A=1. The variable T is watched.
func TestEnds(t *testing.T) {
	const idle = "sleep app:1000 safe [T] shown:T"
	for _, tt := range []struct{ name, script, want string }{
		{"as root", `exec "$@"`, "server root:0 inherited lost [T]"},
		{"D12", "chown -R app /data\nexec gosu app \"$@\"", "server app:1000 safe [T] maybe:T shown:T"},
		{"no exec", `gosu app "$@"`, "server app:1000 safe [T] maybe:T shown:T"},
		{"re-exec", "if [ \"$(id -u)\" = 0 ]; then exec gosu app \"$0\" \"$@\"; fi\nexec \"$@\"", "server app:1000 safe [T] maybe:T shown:T"},
		{"re-exec by name", "[ `whoami` = root ] && exec gosu app \"$0\" \"$@\"\nexec \"$@\"", "server app:1000 safe [T] maybe:T shown:T"},

		{"unset", "unset T\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"unset on some paths", "[ -f /x ] && unset T\nexec gosu app sleep 9", "sleep app:1000 safe [T] maybe:T shown:T"},
		{"unset in a subshell", "(unset T)\nexec gosu app sleep 9", idle},
		{"unset in a pipeline", "unset T | cat\nexec gosu app sleep 9", idle},
		{"unset in a function", "strip() { unset T; }\nstrip\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"unset in a function that has its own", "strip() { local T=x; unset T; }\nstrip\nexec gosu app sleep 9", idle},
		{"overwritten in a function that has its own", "strip() { local T=; }\nstrip\nexec gosu app sleep 9", idle},
		{"declared by a file that is sourced", ". /declare.sh\nunset T\nexec gosu app sleep 9", "sleep app:1000 safe [TOKEN] shown:TOKEN"},
		{"read anew", "read T < /run/token\nexec gosu app sleep 9", "sleep app:1000 safe [T] maybe:T shown:T"},
		{"set -- is not set -a", "set -- -a\nTOKEN=$T\nunset T\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"unset of a function", "unset -f T\nexec gosu app sleep 9", idle},
		{"unset of what is not known", "for v in $(cat /names); do unset $v; done\nexec gosu app sleep 9", "sleep app:1000 safe [T] maybe:T shown:T"},
		{"unset in a loop", "for v in T U; do unset $v; done\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"export -n", "export -n T\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"overwritten", "export T=gone\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"overwritten for the command", "T= exec gosu app sleep 9", "sleep app:1000 safe"},
		{"set again", "x=$T\nunset T\nexport T=$x\nexec gosu app sleep 9", idle},
		{"handed on by another name", "export TOKEN=\"${T:?}\"\nunset T\nexec gosu app sleep 9", "sleep app:1000 safe [TOKEN] shown:TOKEN"},
		{"handed on in a part", "AUTH=\"Bearer $T\" exec gosu app sleep 9", "sleep app:1000 safe [T AUTH] shown:T AUTH"},
		{"handed on by set -a", "set -a\nTOKEN=$T\nset +a\nOTHER=$T\nunset T\nexec gosu app sleep 9", "sleep app:1000 safe [TOKEN] shown:TOKEN"},
		{"not handed on", "TOKEN=$T\nunset T\nexec gosu app sleep 9", "sleep app:1000 safe"},
		{"env -u", `exec env -u T gosu app sleep 9`, "sleep app:1000 safe"},
		{"env -u twice", `exec env -u A --unset=T gosu app sleep 9`, "sleep app:1000 safe"},
		{"env -i", `exec env -i PATH="$PATH" gosu app sleep 9`, "sleep app:1000 safe"},
		{"env -i with the variable", `exec env -i PATH="$PATH" T="$T" gosu app sleep 9`, idle},
		{"env after the drop", `exec gosu app env -u T sleep 9`, "sleep app:1000 safe"},
		{"exec -c", `exec -c gosu app sleep 9`, "sleep app:1000 safe"},
		{"read again", "unset T\n. /run/env\nexec gosu app sleep 9", "sleep app:1000 safe lost"},

		{"setpriv", `exec setpriv --reuid=app --regid=app --clear-groups --no-new-privs sleep 9`, "sleep app:1000 safe nnp [T] shown:T"},
		{"setpriv --init-groups", `exec setpriv --reuid 1000 --regid 1000 --init-groups sleep 9`, idle},
		{"setpriv --keep-groups", `exec setpriv --reuid app --regid app --keep-groups sleep 9`, "sleep app:1000 inherited [T] shown:T"},
		{"setpriv --groups", `exec setpriv --reuid app --regid app --groups 4,root sleep 9`, "sleep app:1000 root [T] shown:T"},
		{"setpriv without a group", `exec setpriv --reuid app sleep 9`, "sleep app:0 inherited [T] shown:T"},
		{"setpriv --euid", `exec setpriv --euid app --clear-groups sleep 9`, "sleep root/app/app:0 safe [T] shown:T"},
		{"setpriv --reset-env", `exec setpriv --reuid app --regid app --init-groups --reset-env sleep 9`, "sleep app:1000 safe"},
		{"setpriv --ambient-caps", `exec setpriv --reuid app --regid app --init-groups --inh-caps +setuid --ambient-caps +setuid sleep 9`, "sleep app:1000 safe caps [T] shown:T"},
		{"setpriv --bounding-set", `exec setpriv --bounding-set -all --inh-caps -all gosu app sleep 9`, idle},
		{"setpriv and gosu", `exec setpriv --no-new-privs gosu app sleep 9`, "sleep app:1000 safe nnp [T] shown:T"},

		{"su", `exec su app -c "sleep infinity"`, idle},
		{"su -p", `exec su -p app -c "exec sleep 9"`, idle},
		{"su -", `exec su - app -c "sleep infinity"`, "sleep app:1000 safe"},
		{"su -l -w", `exec su -l -w T app -c "sleep infinity"`, idle},
		{"runuser", `exec runuser -u app -- sleep 9`, idle},
		{"sudo", `exec sudo -u app sleep 9`, "sleep app:1000 safe [T] maybe:T shown:T"},
		{"sudo -E", `exec sudo -E -u app sleep 9`, idle},
		{"sudo -i", `exec sudo -i -u app sleep 9`, "sleep app:1000 safe"},
		{"sudo with the variable", `exec sudo -i -u app T="$T" sleep 9`, idle},
		{"sudo -g", `exec sudo -E -u app -g root sleep 9`, "sleep app:0 safe [T] shown:T"},
		{"chroot", `exec chroot --userspec=app:app / sleep 9`, idle},
		{"chroot --groups", `exec chroot --userspec=app --groups=0,4 / sleep 9`, "sleep app:1000 root [T] shown:T"},
		{"chpst", `exec chpst -u app:app sleep 9`, idle},
		{"s6-setuidgid", `exec s6-setuidgid app sleep 9`, idle},
		{"su-exec with group 0", `exec su-exec app:0 sleep 9`, "sleep app:0 safe [T] shown:T"},
		{"no account", `exec gosu 4242 sleep 9`, "sleep 4242:0 safe [T] shown:T"},
		{"gosu root", `exec gosu root sleep 9`, "sleep root:0 safe [T]"},
		{"twice", `exec gosu app gosu app sleep 9`, ""},
		{"an unknown user", `exec gosu "$(cat /x)" sleep 9`, "sleep ?:? safe [T] shown:T"},

		{"whatever", `exec gosu app "$@" "$(cat /x)"`, "server app:1000 safe [T] maybe:T shown:T"},
		{"a shell for whoever", `exec gosu app bash`, "a shell app:1000 safe [T] shown:T"},
		{"wrappers", `exec timeout -k 5 9m nice -n 5 stdbuf -oL setsid gosu app ionice -c 3 nohup sleep 9`, idle},

		{"switched", "if [ \"$A\" = 1 ]; then exec gosu app sleep 9; fi\nexec sleep 9", "sleep app:1000 safe switched [T] shown:T\nsleep root:0 inherited switched [T]"},
		{"switched by what is not set", "[ -n \"$SKIP\" ] || exec gosu app sleep 9\nexec sleep 9", "sleep app:1000 safe switched [T] shown:T\nsleep root:0 inherited switched [T]"},
		{"switched by a case", "case ${MODE:-a} in\na) exec gosu app sleep 9;;\nesac\nexec sleep 9", "sleep app:1000 safe switched [T] shown:T\nsleep root:0 inherited switched [T]"},
		{"switched something else", "if [ -n \"$DEBUG\" ]; then set -x; fi\nexec gosu app sleep 9", idle},
		{"not the environment", "if [ -f /x ]; then exec gosu app sleep 9; fi\nexec sleep 9", "sleep app:1000 safe [T] shown:T\nsleep root:0 inherited [T]"},
		{"options that are not set", "exec gosu app sleep $OPTIONS 9", idle},

		{"prepares first", "migrate --all\nexec gosu app sleep 9", idle},
		{"prepares with whatever", "$(cat /cmd)\nexec gosu app sleep 9", "a text that is computed root:0 inherited [T]\n" + idle},
		{"traps", "trap 'exec gosu root \"$(cat /cmd)\"' EXIT\nexec gosu app sleep 9", idle + "\na text that is computed root:0 safe lost [T]"},
		{"an alias", "alias gosu='echo'\nexec gosu app sleep 9", idle}, // exec is no alias
		{"an alias that counts", "alias gosu='env'\ngosu app sleep 9", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"server"}, Env: []string{"A=1", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}}, tools,
				tree{"/e.sh": "#!/bin/sh\n" + tt.script + "\n", "/usr/bin/server": elf, "/usr/bin/migrate": elf, "/declare.sh~": "declare -x TOKEN=$T\n", "/usr/bin/timeout": elf, "/usr/bin/stdbuf": elf,
					"/usr/bin/setsid": elf, "/usr/bin/ionice": elf})
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("%s\ngot\n%s\nwant\n%s\n%s", tt.script, got, tt.want, l.Outcome.Losses)
			}
		})
	}
}

// TestComplete checks that an outcome says so if a path was not followed to its end.
func TestComplete(t *testing.T) {
	for script, want := range map[string]bool{
		"exec gosu app server": true,
		"if [ -f /x ]; then exec /text.sh; fi; exec gosu app server":                   true, // there is no such file
		"if [ -f /x ]; then exec sh \"$(cat /x)\"; fi; exec gosu app server":           false,
		"if [ -f /x ]; then exec \"$(cat /x)\"; fi; exec gosu app server":              true, // a path of its own
		"if [ -f /x ]; then exec /broken.sh; fi; exec gosu app server":                 false,
		"f() { f; }; if [ -f /x ]; then f; fi; exec gosu app server":                   false,
		"/broken.sh; exec gosu app server":                                             true, // prepares
		"case x in x) if [ -f /x ]; then supervisord; fi;; esac; exec gosu app server": true,
	} {
		l := launch(t, image.Config{Entrypoint: []string{"sh", "-c", script}}, tools, tree{"/usr/bin/server": elf, "/broken.sh": "#!/bin/sh\nif\n", "/usr/bin/supervisord": elf})
		if l.Outcome.Complete != want {
			t.Errorf("%s: complete %v", script, l.Outcome.Complete)
		}
		if !want && l.Outcome.Dropped() == effect.Yes {
			t.Errorf("%s: a drop on every path", script)
		}
	}
}

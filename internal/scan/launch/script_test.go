package launch

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

func sorted(t tree) []string { return slices.Sorted(maps.Keys(t)) }

// TestScript runs /e.sh, whose first line is "#!/bin/sh", with the command
// "python3 main.py". Line 2 of a script is the first one given here.
func TestScript(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"nothing", `exec "$@"`, "unknown"},
		{"no exec", `"$@"`, "unknown"},
		{"D12", "chown -R app /data\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"D12 with a way around", "if [ \"$1\" = sh ]; then exec \"$@\"; fi\nexec gosu app \"$@\"", "partial/shown gosu app :3"},
		{"re-exec", "if [ \"$(id -u)\" = '0' ]; then\n\tchown app .\n\texec gosu app \"$0\" \"$@\"\nfi\nexec \"$@\"", "shown gosu app :4"},
		{"re-exec in backquotes", "if [ `id -u` -eq 0 ]; then exec su-exec app \"$0\" \"$@\"; fi\nexec \"$@\"", "shown su-exec app :2"},
		{"re-exec the other way round", "if [ \"$(id -u)\" -ne 0 ]; then exec \"$@\"; fi\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"re-exec by whoami", "if [ \"$(whoami)\" != root ]; then exec \"$@\"; else exec gosu app \"$@\"; fi", "shown gosu app :2"},
		{"re-exec, the uid in a variable", "uid=$(id -u)\n[ $uid = 0 ] && exec gosu app \"$0\" \"$@\"\nexec \"$@\"", "shown gosu app :3"},
		{"re-exec, compared wrongly", "if [ \"$(id -u)\" = 1 ]; then exec gosu app \"$0\" \"$@\"; fi\nexec \"$@\"", "unknown"},
		{"re-exec of the image's command only", "if [ \"$1\" = 'python3' -a \"$(id -u)\" = '0' ]; then\nexec gosu app \"$0\" \"$@\"\nfi\nexec \"$@\"",
			"partial/shown gosu app :3"},
		{"arguments added first", "if [ \"${1#-}\" != \"$1\" ]; then\n\tset -- redis \"$@\"\nfi\nexec gosu app \"$@\"", "shown gosu app :5"},
		{"drop put before the arguments", "set -- gosu app \"$@\"\nexec \"$@\"", "shown gosu app :3"},
		{"drop put before the arguments, sometimes", "if [ \"$X\" ]; then set -- gosu app \"$@\"; fi\nexec \"$@\"", "unknown"},
		{"drop in an array", "c=(gosu app)\nexec \"${c[@]}\" \"$@\"", "shown gosu app :3"},
		{"EUID in sh", "if [ \"$EUID\" = 0 ]; then exec gosu app \"$@\"; fi\nexec \"$@\"", "partial/unknown gosu app :2"},

		{"switched off", "[ \"$SKIP_DROP\" ] || exec gosu app \"$@\"\nexec \"$@\"", "partial/shown gosu app :2"},
		{"switched off by the image", "[ \"$OFF\" = 1 ] || exec gosu app \"$@\"\nexec bash", "partial/none gosu app :2"},
		{"switched on", "if [ -n \"$DROP\" ]; then exec gosu app \"$@\"; fi\nexec bash", "partial/none gosu app :2"},
		{"false", "if false; then exec bash; fi\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"one arm", "case \"$1\" in\npython*) exec gosu app \"$@\";;\n*) exec \"$@\";;\nesac", "partial/shown gosu app :3"},
		{"one arm without an else", "case \"$1\" in\nstart) exec gosu app \"$@\";;\nesac\nexec bash", "partial/none gosu app :3"},
		{"every arm", "case \"$1\" in\na) exec gosu app a;;\n*) exec gosu app \"$@\";;\nesac", "shown gosu app :3"},
		{"usage and exit", "if [ $# -eq 0 ]; then echo usage; exit 1; fi\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"or exit", "cd /srv || exit 1\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"wait for it", "while ! nc -z db 5432; do sleep 1; done\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"wait for it, by Python", "until python3 -c 'import x'; do sleep 1; done\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"arguments in a loop", "while [ $# -gt 0 ]; do case \"$1\" in --x) shift;; *) break;; esac; done\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"for", "for f in /d/*; do chown app \"$f\"; done\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"exec in a loop", "for x in a b; do exec bash; done\nexec gosu app \"$@\"", "none"},
		{"exec in a loop that may not run", "for x in $(ls /d); do exec bash; done\nexec gosu app \"$@\"", "partial gosu app :3"},
		{"a command that is anyone's, in the background", "setpriv --reuid 1000 --regid 1000 --clear-groups \"$@\" &\nwait", "shown setpriv 1000 :2"},
		{"start-stop-daemon", "exec start-stop-daemon --start --chuid app:app --exec /bin/sleep -- 9", "shown start-stop-daemon app:app :2"},
		{"start-stop-daemon stops", "start-stop-daemon --stop --chuid app --exec /bin/sleep\nexec bash", "none"},
		{"what is not there is not read", "for f in /entry.d/*.sh; do . \"$f\"; done\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"for good", "while true; do gosu app \"$@\"; sleep 1; done\nexec bash", "shown gosu app :2"},
		{"for good, with a way out", "while true; do gosu app \"$@\" && break; done\nexec bash", "partial gosu app :2"},

		{"in a function", "run() {\n\texec gosu app \"$@\"\n}\nrun \"$@\"", "shown gosu app :3"},
		{"in a function, called under a condition", "run() { exec gosu app \"$@\"; }\n[ -n \"$X\" ] && run \"$@\"\nexec bash", "partial/none gosu app :2"},
		{"in a function, never called", "run() { exec gosu app \"$@\"; }\nexec bash", "none"},
		{"a function that returns", "prep() { [ -n \"$X\" ] && return; chown app .; }\nprep\nexec gosu app \"$@\"", "shown gosu app :4"},
		{"recursion", "f() { f; }\nf\nexec gosu app \"$@\"", "unknown"},
		{"one of two functions", "if [ -n \"$X\" ]; then run() { exec gosu app \"$@\"; }; else run() { exec \"$@\"; }; fi\nrun \"$@\"", "unknown"},
		{"a function in the way", "gosu() { shift; \"$@\"; }\ngosu app bash", "none"},
		{"a function, passed by", "gosu() { command gosu app \"$@\"; }\ngosu x", "shown gosu app :2"},
		{"in a subshell", "(exec gosu app \"$@\")", "shown gosu app :2"},
		{"in a subshell, then not", "(exec gosu app \"$@\")\nexec bash", "none"},
		{"exit in a subshell", "(exit 3)\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"in the background", "gosu app server &\nwait", "shown gosu app :2"},
		{"in the background, then not", "gosu app server &\nexec bash", "none"},
		{"in a pipeline", "gosu app \"$@\" | tee /log", "shown gosu app :2"},
		{"untrusted in the background", "\"$@\" &\nexec gosu app server", "partial/shown gosu app :3"},

		{"no exec, last", "chown app .\ngosu app \"$@\"", "shown gosu app :3"},
		{"no exec, exit with its status", "gosu app \"$@\"\nexit $?", "shown gosu app :2"},
		{"no exec, then not", "gosu app foo\nexec bash", "none"},
		{"no exec, then whatever", "gosu app foo; exec \"$@\"", "unknown"},
		{"whatever behind a wrapper", "nohup \"$@\" &\nexec gosu app x", "partial/shown gosu app :3"},
		{"setup as root", "python3 migrate.py\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"main program as root", "python3 main.py", "unknown"},
		{"main program as root, then nothing", "gosu app init\nnginx", "unknown"},
		{"idle", "chown app .\nexec sleep infinity", "none"},
		{"empty", "", "none"},
		{"redirection", "exec > /log 2>&1\nexec gosu app \"$@\"", "shown gosu app :3"},
		{"dead code", "exec bash\nexec gosu app \"$@\"", "none"},
		{"exit before", "exit 0\nexec gosu app \"$@\"", "none"},

		{"user in a variable", "USER=app\nexec gosu $USER \"$@\"", "shown gosu app :3"},
		{"user in the image's ENV", "exec gosu \"$RUN_AS\" \"$@\"", "shown gosu app :2"},
		{"user in the image's ENV, root", "exec gosu \"$ROOT\" \"$@\"", "none gosu root :2"},
		{"user nobody knows", "exec gosu \"$NOTHING\" \"$@\"", "unknown gosu  :2"},
		{"user with a default", "exec gosu \"${NOTHING:-app}\" \"$@\"", "shown gosu app :2"},
		{"user changed in a branch", "U=app\nif [ -n \"$X\" ]; then U=root; fi\nexec gosu $U \"$@\"", "unknown/shown gosu app :4"},
		{"user set if it was not", ": ${NOTHING:=app}\nexec gosu $NOTHING \"$@\"", "shown gosu app :3"},
		{"user from a file", "U=app\nexport $(cat /run/env)\nexec gosu $U \"$@\"", "unknown gosu  :4"},
		{"user read", "U=app\nread U < /x\nexec gosu $U \"$@\"", "unknown gosu  :4"},
		{"user changed late in a loop", "a=app b=app c=app d=root\nfor i in 1 2 3 4; do a=$b; b=$c; c=$d; done\nexec gosu $a \"$@\"", "none gosu root :4"},
		{"user computed", "exec gosu \"$(stat -c %u .)\" \"$@\"", "unknown gosu  :2"},
		{"two users", "exec gosu ${A:-app}:${B:-app} \"$@\"", "shown gosu app:app :2"},
		{"root", "exec gosu root \"$@\"", "none gosu root :2"},
		{"uid 0", "exec su-exec 0:0 \"$@\"", "none su-exec 0:0 :2"},
		{"D5", "exec gosu toor \"$@\"", "none gosu toor :2"},
		{"unknown name", "exec gosu nobody \"$@\"", "unknown gosu nobody :2"},

		{"commented out", "# exec gosu app \"$@\"\nexec bash # gosu app", "none"},
		{"echoed", "echo exec gosu app\nexec bash", "none"},
		{"heredoc", "cat <<EOF\nexec gosu app \"$@\"\nEOF\nexec bash", "none"},
		{"here-string", "cat <<< 'exec gosu app'\nexec bash", "none"},
		{"heredoc after", "cat >/x <<'EOF'\nexec bash\nEOF\nexec gosu app \"$@\"", "shown gosu app :5"},
		{"quoted", "'exec' \"gosu\" app \"$@\"", "shown gosu app :2"},
		{"continued", "exec \\\n\tgosu \\\n\tapp \"$@\"", "shown gosu app :2"},

		{"su-exec", `exec su-exec app "$@"`, "shown su-exec app :2"},
		{"runuser", `exec runuser -u app -- "$@"`, "shown runuser app :2"},
		{"su", `su app -c "$*"`, "shown su app :2"},
		{"login", `su - app -c "python3 main.py"`, "shown su app :2"},
		{"su with a shell", `exec su app -s /bin/sh -c 'exec "$0" "$@"' -- "$@"`, "shown su app :2"},
		{"su without a user", `exec su -c "$*"`, "none su root :2"},
		{"setpriv", `exec setpriv --reuid=app --regid=app --init-groups "$@"`, "shown setpriv app :2"},
		{"setpriv --euid", `exec setpriv --euid app "$@"`, "none setpriv app :2"},
		{"setpriv of something else", `exec setpriv --no-new-privs bash`, "none"},
		{"chroot", `exec chroot --userspec=app / "$@"`, "shown chroot app :2"},
		{"chroot elsewhere", `exec chroot --userspec=app /jail "$@"`, "unknown chroot  :2"},
		{"s6-setuidgid", `exec s6-setuidgid app "$@"`, "shown s6-setuidgid app :2"},
		{"wrappers", `exec tini -- env -i nice gosu app "$@"`, "shown gosu app :2"},
		{"nested shell", `exec sh -c 'exec gosu app "$@"' -- "$@"`, "shown gosu app :1"},
		{"command", `command exec gosu app "$@"`, "shown gosu app :2"},

		{"sourced", ". /lib.sh\nrun \"$@\"", "shown gosu app :1"},
		{"sourced, not there", "[ -f /no.sh ] && . /no.sh\nexec gosu app \"$@\"", "unknown gosu app :3"},
		{"another script", `exec /other.sh "$@"`, "shown gosu app :3"},
		{"another script as the last command", `/other.sh "$@"`, "shown gosu app :3"},
		{"itself", `exec "$0" "$@"`, "unknown"},
		{"eval", "eval 'exec gosu app \"$@\"'", "shown gosu app :2"},
		{"eval of the unknown", "eval \"$(cat /x)\"\nexec gosu app \"$@\"", "unknown gosu app :3"},
		{"a path of its own", "PATH=/fake:$PATH\nexec gosu app \"$@\"", "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"python3", "main.py"},
				Env: []string{"RUN_AS=app", "ROOT=root", "OFF=1", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}}, tools,
				tree{"/e.sh": "#!/bin/sh\n" + tt.script + "\n", "/lib.sh~": "run() { exec gosu app \"$@\"; }\n",
					"/other.sh": "#!/bin/sh\nset -e\nexec gosu app \"$@\"\n", "/fake/gosu": "#!/bin/sh\nshift\nexec \"$@\"\n"})
			if got := show(l.Drop); got != tt.want {
				t.Errorf("%s\ngot  %s (%s)\nwant %s", tt.script, got, l.Drop.Reason, tt.want)
			}
			if (l.Drop.Verdict == Shown) != (l.Drop.Reason == "") {
				t.Errorf("%v with reason %q", l.Drop.Verdict, l.Drop.Reason)
			}
		})
	}
}

// TestBash is what only Bash knows.
func TestBash(t *testing.T) {
	for script, want := range map[string]string{
		"if [[ $EUID -eq 0 ]]; then exec gosu app \"$BASH_SOURCE\" \"$@\"; fi\nexec \"$@\"": "shown gosu app :2",
		"if (( EUID == 0 )); then exec gosu app \"$0\" \"$@\"; fi\nexec \"$@\"":             "shown gosu app :2",
		"if [ \"$UID\" != 0 ]; then exec \"$@\"; fi\nexec gosu app \"$@\"":                  "shown gosu app :3",
		"if [[ $1 == --* || -z $1 ]]; then set -- x \"$@\"; fi\nexec gosu app \"$@\"":       "shown gosu app :3",
		"if [[ $1 == sh ]]; then exec \"$@\"; fi\nexec gosu app \"$@\"":                     "partial/shown gosu app :3",
	} {
		l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"python3"}}, tools, tree{"/e.sh": "#!/bin/bash\n" + script})
		if got := show(l.Drop); got != want {
			t.Errorf("%s\ngot  %s (%s)\nwant %s", script, got, l.Drop.Reason, want)
		}
	}
}

// TestShellForm is "ENTRYPOINT text" and "CMD text".
func TestShellForm(t *testing.T) {
	for text, want := range map[string]string{
		`exec gosu app python3 main.py`: "shown gosu app :1",
		`su app -c "python3 main.py"`:   "shown su app :1",
		`chown app . && su-exec app x`:  "shown su-exec app :1",
		`$DIR/start-up.sh`:              "shown gosu app :2",
		`python3 a & python3 b`:         "unknown",
		`python3 main.py`:               "unknown",
		`exec bash`:                     "none",
	} {
		l := launch(t, image.Config{Entrypoint: []string{"/bin/sh", "-c", text}, Env: []string{"DIR=/opt"}}, tools,
			tree{"/opt/start-up.sh": "#!/bin/bash\nexec gosu app \"$@\"\n"})
		if got := show(l.Drop); got != want {
			t.Errorf("%s: got %s (%s), want %s", text, got, l.Drop.Reason, want)
		}
	}
}

func TestPartial(t *testing.T) {
	l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, Cmd: []string{"python3"}}, tools,
		tree{"/e.sh": "#!/bin/sh\nif [ \"$1\" = sh ]; then\n\texec \"$@\"\nfi\nexec gosu app \"$@\"\n"})
	d := l.Drop
	if d.Bypass.Line != 3 || d.Line != 5 || d.File.Path != "/e.sh" || !strings.HasPrefix(d.Reason, "/e.sh:3: ") {
		t.Errorf("bypass %v, drop at line %d, reason %q", d.Bypass, d.Line, d.Reason)
	}
}

// TestGiven checks that a shell which runs whatever comes in is no setup.
func TestGiven(t *testing.T) {
	for script, want := range map[string]Verdict{"curl https://example.org/x | sh; exec gosu app x": Partial, "sh -c true; exec gosu app x": Shown, "sh; exit": None} {
		l := launch(t, image.Config{Entrypoint: []string{"sh", "-c", script}}, tools)
		if l.Drop.Verdict != want {
			t.Errorf("%s: %v, want %v", script, l.Drop.Verdict, want)
		}
	}
}

func TestLoose(t *testing.T) {
	for script, want := range map[string]bool{
		"exec gosu $RUN_AS x": true, "exec gosu ${PUID:-1000} x": true, "U=app; exec gosu $U x": false,
		"usermod -o -u \"$PUID\" app; exec gosu app x": true, "sed -i s/1000/0/ /etc/passwd; exec gosu app x": true,
		"if [ \"$PUID\" ]; then usermod -u $PUID app; fi; exec gosu app x": true, "useradd -u ${LOCAL_UID:-9001} -o made; exec gosu made x": true,
		"usermod -o -u \"$PUID\" app; exec gosu 1000:1000 x": false,
	} {
		l := launch(t, image.Config{Entrypoint: []string{"sh", "-c", script}, Env: []string{"RUN_AS=app"}}, tools)
		if l.Drop.Verdict != Shown || l.Drop.Loose != want {
			t.Errorf("%s: %v, loose %v", script, l.Drop.Verdict, l.Drop.Loose)
		}
	}
}

// TestHostile checks that no script costs much, whatever it says.
func TestHostile(t *testing.T) {
	for name, script := range map[string]string{
		"ifs":       strings.Repeat("if [ \"$X\" ]; then a=1; else a=2; fi\n", 6000),
		"nested":    strings.Repeat("while x; do ", 800) + "y" + strings.Repeat("; done", 800),
		"functions": "f0() { x; }\n" + functions(40) + "f39\n",
		"variables": assignments(20000),
		"commands":  strings.Repeat("cmd\n", 50000),
		"chain":     strings.Repeat("a&&", 80000) + "b",
		"doubling":  "x=aaaa\n" + strings.Repeat("x=$x$x$x$x\n", 10000),
		"deep":      strings.Repeat("(", 200000),
		"arms":      "case $1 in\n" + strings.Repeat("a) a;;\n", 20000) + "esac\n",
		"long":      "f() { : " + strings.Repeat("x ", 50000) + "; }\n" + strings.Repeat("f\n", 20000),
		"patterns":  "f() { case $1 in\n" + strings.Repeat("[a-z]*[0-9]|", 9000) + "x) a;; esac; }\n" + strings.Repeat("f y\n", 20000),
		"fork bomb": ":(){ :|:& };:",
		"sources":   strings.Repeat(". /e.sh\n", 1000),
		"itself":    strings.Repeat("/e.sh &\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}}, tools, tree{"/e.sh": "#!/bin/sh\n" + script})
			if l.Drop.Verdict == Shown {
				t.Error("a drop is shown")
			}
		})
	}
}

func functions(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		name, last := "f"+string(rune('0'+i/10))+string(rune('0'+i%10)), "f"+string(rune('0'+(i-1)/10))+string(rune('0'+(i-1)%10))
		b.WriteString(name + "() { " + last + "; " + last + "; }\n")
	}
	return b.String()
}

func assignments(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("v" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "=1\n")
	}
	return b.String()
}

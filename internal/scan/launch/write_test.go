package launch

import (
	"maps"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// TestWrites has what scripts write for certain: on every path, to paths that no
// environment changes, and on the root filesystem.
func TestWrites(t *testing.T) {
	for _, tt := range []struct{ name, script, env, want string }{
		{"redirections", "echo a > /a\necho b >> /b/c\n: >| /d\n", "", "> /a, > /b/c, > /d"},
		{"devices are none", "echo a > /dev/stderr 2> /dev/null\n", "", ""},
		{"commands", "mkdir /new\ntouch /x y\nchown app:app /data\nsed -i s/a/b/ /etc/conf\nls / | tee /log > /dev/null\n", "", "mkdir /new, touch /x, touch /w/y, chown /data, sed /etc/conf"},
		{"in a directory", "cp /etc/passwd /there/\nln -s /x /there\nmv a /z\n", "", "cp /there/passwd, ln /there/x, mv /z"},
		{"a directory that may be there", "mkdir -p /there /away\n", "", "mkdir /away"},
		{"below cd", "cd /var\necho > log/x\ncd \"$(mktemp -d)\"\necho > y\n", "", "> /var/log/x"},
		{"on some paths only", "if [ -n \"$A\" ]; then touch /a; touch /c; else touch /b; touch /c; fi\nfor x in \"$@\"; do touch /d; done\ntest -e /e || touch /e\n", "", "touch /c"},
		{"where the image's setting decides", "if [ \"$A\" = 1 ]; then touch /a; fi\ntouch \"$B/b\"\n", "A=1 B=/v", ""},
		{"in functions and sourced files", "f() { touch \"/f/$1\"; }\nf one\n. /lib.sh\n", "", "touch /f/one, touch /sourced"},
		{"not in the background of nothing", "sh -c 'touch /inner'\n", "", ""},
		{"a path that is lost counts", "if [ -n \"$A\" ]; then touch /a; eval \"$B\"; fi\ntouch /b\n", "", "touch /b"},
		{"before an early end", "if [ -n \"$A\" ]; then touch /a; exec sleep infinity; fi\ntouch /b\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"/e.sh": "#!/bin/sh\n" + tt.script + "exec gosu app sleep infinity\n", "/there/x~": "", "/lib.sh~": "touch /sourced\n"}
			maps.Copy(files, tools)
			l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, WorkingDir: "/w", Env: strings.Fields(tt.env)}, files)
			var got []string
			for _, w := range l.Writes {
				got = append(got, w.Command+" "+w.Path)
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

// TestNeedsRoot has containers that start as another user, and drop all the same.
func TestNeedsRoot(t *testing.T) {
	for _, tt := range []struct{ name, script, user, want string }{
		{"always", "exec gosu app sleep infinity\n", "app", "gosu"},
		{"with any of two", "if [ -n \"$A\" ]; then exec gosu app sleep 1; fi\nexec su-exec app sleep infinity\n", "app", "su-exec"},
		{"on some paths", "if [ -n \"$A\" ]; then exec gosu app sleep 1; fi\nexec sleep infinity\n", "app", ""},
		{"only as root", "if [ \"$(id -u)\" = 0 ]; then exec gosu app \"$0\" \"$@\"; fi\nexec sleep infinity\n", "app", ""},
		{"as root", "exec gosu app sleep infinity\n", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := tree{"/e.sh": "#!/bin/sh\n" + tt.script}
			maps.Copy(files, tools)
			if l := launch(t, image.Config{Entrypoint: []string{"/e.sh"}, User: tt.user}, files); l.NeedsRoot != tt.want {
				t.Errorf("got %q, want %q", l.NeedsRoot, tt.want)
			}
		})
	}
}

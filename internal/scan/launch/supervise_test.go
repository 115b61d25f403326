package launch

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

const supervisorConf = `[supervisord]
nodaemon=true
user=root                       ; as in many images

[program:agent]
command=/usr/bin/agent --home "%(here)s/a b" ; comment
user=%(ENV_USER)s
environment=HOME="/home/app",T="",TOKEN="%(ENV_T)s"

[include]
files = conf.d/*.conf
`

func TestSupervisord(t *testing.T) {
	for _, tt := range []struct{ name, conf, included, want, drop string }{
		{"in the wild", supervisorConf, "[program:web]\ncommand=/usr/bin/web\nuser=app\n",
			"/usr/bin/agent app:1000 safe [TOKEN] maybe:TOKEN shown:TOKEN\n/usr/bin/web app:1000 safe [T] maybe:T shown:T", "shown supervisord app :7"},
		{"one as root", supervisorConf, "[program:web]\ncommand=sleep infinity\n",
			"/usr/bin/agent app:1000 safe [TOKEN] maybe:TOKEN shown:TOKEN\nsleep root:0 inherited [T]", "partial supervisord app :7"},
		{"all as its own user", "[supervisord]\nuser=app\n[program:a]\ncommand=sleep infinity\n[program:b]\nuser=app\ncommand=sh -c 'exec sleep infinity'\n", "",
			"sleep app:1000 safe [T] shown:T\nsleep app:1000 safe [T] shown:T", "shown supervisord app :2"},
		{"no program", "[supervisord]\n", "", "", "unknown"},
		{"a user of the container's environment", "[program:a]\nuser=%(ENV_NOBODY)s\ncommand=sleep infinity\n", "", "sleep ?:? safe [T] shown:T", "unknown supervisord  :2"},
		{"not started", "[program:a]\nuser=app\ncommand=sleep infinity\n[program:b]\nautostart=false\ncommand=sleep infinity\n", "", "sleep app:1000 safe [T] shown:T", "shown supervisord app :2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: []string{"supervisord", "-n", "-c", "/etc/supervisor/supervisord.conf"}, Env: []string{"USER=app"}}, tools,
				tree{"/usr/bin/supervisord": "#!/usr/bin/python3\n", "/etc/supervisor/supervisord.conf~": tt.conf, "/etc/supervisor/conf.d/x.conf~": tt.included,
					"/usr/bin/agent": elf, "/usr/bin/web": elf})
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, tt.want, l.Outcome.Losses)
			}
			if got := show(l.Drop); got != tt.drop {
				t.Errorf("got %s (%s), want %s", got, l.Drop.Reason, tt.drop)
			}
		})
	}
}

// TestS6 has services of s6-overlay: with and without the environment of the
// container, as scripts and as chains.
func TestS6(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files tree
		cmd   string
		env   string
		want  string
	}{
		{"in the wild", tree{"/etc/s6-overlay/s6-rc.d/user/contents.d/web~": "", "/etc/s6-overlay/s6-rc.d/web/type~": "longrun",
			"/etc/s6-overlay/s6-rc.d/web/run": "#!/command/with-contenv sh\nexec s6-setuidgid app sleep infinity\n"}, "", "", "sleep app:1000 safe [T] shown:T"},
		{"its own programs", tree{"/etc/services.d/web/run": "#!/command/with-contenv sh\nexec s6-applyuidgid-is-not-it app sleep infinity\n", "/command/s6-applyuidgid-is-not-it": elf}, "", "",
			"s6-applyuidgid-is-not-it root:0 inherited lost [T]"},
		{"without the environment", tree{"/etc/s6-overlay/s6-rc.d/user/contents.d/web~": "",
			"/etc/s6-overlay/s6-rc.d/web/run": "#!/bin/sh\nexec s6-setuidgid app sleep infinity\n"}, "", "", "sleep app:1000 safe"},
		{"which it keeps", tree{"/etc/s6-overlay/s6-rc.d/user/contents.d/web~": "",
			"/etc/s6-overlay/s6-rc.d/web/run": "#!/bin/sh\nexec s6-setuidgid app sleep infinity\n"}, "", "S6_KEEP_ENV=1", "sleep app:1000 safe [T] shown:T"},
		{"execline", tree{"/etc/s6-overlay/s6-rc.d/user/contents.d/web~": "", "/etc/s6-overlay/s6-rc.d/web/dependencies.d/prepare~": "",
			"/etc/s6-overlay/s6-rc.d/prepare/up~": "foreground { chown app /data } if { test -d /data } true",
			"/etc/s6-overlay/s6-rc.d/web/run":     "#!/command/execlineb -P\nwith-contenv # all\nunexport T\nfdmove -c 2 1\ncd \"/srv\"\ns6-setuidgid app\nsleep infinity\n"}, "", "", "sleep app:1000 safe"},
		{"not enabled", tree{"/etc/s6-overlay/s6-rc.d/user/contents.d/web~": "", "/etc/s6-overlay/s6-rc.d/web/run": "#!/bin/sh\nexec s6-setuidgid app sleep infinity\n",
			"/etc/s6-overlay/s6-rc.d/other/run": "#!/bin/sh\nexec sleep infinity\n"}, "", "", "sleep app:1000 safe"},
		{"version 2", tree{"/etc/services.d/web/run": "#!/usr/bin/with-contenv bash\nexec s6-setuidgid app sleep infinity\n",
			"/etc/cont-init.d/10-prepare": "#!/usr/bin/with-contenv bash\nchown app /data\n"}, "sleep infinity", "", "sleep app:1000 safe [T] shown:T\nsleep root:0 inherited [T]"},
		{"what a chain can't say", tree{"/etc/services.d/web/run": "#!/bin/execlineb -P\nimportas -i USER USER\ns6-setuidgid $USER\nsleep infinity\n"}, "", "", "sleep ?:? safe"}, //nolint:misspell // a program of execline
		{"no services", tree{"/etc/cont-init.d/1": "#!/bin/sh\n"}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch(t, image.Config{Entrypoint: []string{"/init"}, Cmd: strings.Fields(tt.cmd), Env: strings.Fields(tt.env)}, tools,
				tree{"/init": "#!/bin/sh -e\nexec /package/admin/s6-overlay/libexec/preinit\n", "/command/with-contenv": elf, "/usr/bin/with-contenv": elf,
					"/command/execlineb": elf, "/bin/execlineb": elf}, tt.files)
			if got := ends(l.Outcome); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, tt.want, l.Outcome.Losses)
			}
		})
	}
}

func TestServiceDirectory(t *testing.T) {
	for command, want := range map[string]string{"runsvdir -P /etc/service": "sleep app:1000 safe [T] shown:T", "s6-svscan /etc/service": "sleep app:1000 safe [T] shown:T",
		"runsvdir /none": ""} {
		l := launch(t, image.Config{Entrypoint: strings.Fields(command)}, tools, tree{"/usr/bin/runsvdir": elf, "/usr/bin/s6-svscan": elf,
			"/etc/service/web/run": "#!/bin/sh\nexec chpst -u app sleep infinity\n", "/etc/service/README~": "x"})
		if got := ends(l.Outcome); got != want {
			t.Errorf("%s: got %s, want %s (%v)", command, got, want, l.Outcome.Losses)
		}
	}
}

package accounts

import (
	"strings"
	"testing"
)

// TestRoot checks which commands give root to who may run them as root.
func TestRoot(t *testing.T) {
	args := func(s string) *string { return &s }
	j := &Judge{Change: func(p string) (Answer, string) {
		if strings.HasPrefix(p, "/home/agent/") {
			return Yes, "/home/agent, owned by agent"
		}
		return No, ""
	}}
	for _, tt := range []struct {
		grant Grant
		root  bool
	}{
		{Grant{Command: Command{Path: "ALL"}}, true},
		{Grant{Command: Command{Path: "list"}}, false},
		{Grant{Command: Command{Path: "sudoedit"}}, true},
		{Grant{Command: Command{Path: "sudoedit", Args: args("/etc/shadow")}}, true},
		{Grant{Command: Command{Path: "sudoedit", Args: args("/srv/motd")}}, false},
		{Grant{Command: Command{Path: "/bin/sh"}}, true},
		{Grant{Command: Command{Path: "/bin/sh", Args: args("")}}, true},
		{Grant{Command: Command{Path: "/bin/sh", Args: args("/opt/x.sh")}}, false},
		{Grant{Command: Command{Path: "/bin/sh", Args: args("/home/agent/x.sh")}}, true},
		{Grant{Command: Command{Path: "/bin/sh", Args: args("/opt/x.sh *")}}, true},
		{Grant{Command: Command{Path: "/bin/sh", Args: args(`/opt/x.sh \*`)}}, false},
		{Grant{Command: Command{Path: "/usr/bin/python3.12"}}, true},
		{Grant{Command: Command{Path: "/usr/bin/python3.12", Args: args("")}}, true},
		{Grant{Command: Command{Path: "/usr/bin/find", Args: args("/tmp -delete")}}, false},
		{Grant{Command: Command{Path: "/usr/bin/find"}}, true},
		{Grant{Command: Command{Path: "/usr/bin/less", Args: args("/var/log/syslog")}}, true},
		{Grant{Command: Command{Path: "/usr/bin/apt-get", Args: args("update")}}, false},
		{Grant{Command: Command{Path: "/usr/bin/apt-get", Args: args("install *")}}, true},
		{Grant{Command: Command{Path: "/usr/bin/passwd", Args: args("root")}}, true},
		{Grant{Command: Command{Path: "/usr/bin/passwd", Args: args("other")}}, false},
		{Grant{Command: Command{Path: "/usr/bin/systemctl", Args: args("^restart .*$")}}, true},
		{Grant{Command: Command{Path: "/usr/bin/id"}}, false},
		{Grant{Command: Command{Path: "/usr/bin/id"}, Loads: "SETENV"}, true},
		{Grant{Command: Command{Path: "/home/agent/tool"}}, true},
		{Grant{Command: Command{Path: "/opt/tool"}}, false},
		{Grant{Command: Command{Path: "/usr/bin/"}}, true},
		{Grant{Command: Command{Path: "/opt/bin/"}}, false},
		{Grant{Command: Command{Path: "/home/agent/bin/*"}}, true},
		{Grant{Command: Command{Path: "/usr/bin/v*"}}, true},
		{Grant{Command: Command{Path: "^/usr/bin/[a-z]+$"}}, true},
		{Grant{Command: Command{Path: "vi"}}, true},
	} {
		if why := j.Root(tt.grant); (why != "") != tt.root {
			t.Errorf("%s %v: %q", tt.grant.Command.Path, tt.grant.Command.Args, why)
		}
	}
}

func TestShadowEntries(t *testing.T) {
	hash := strings.Repeat("a", 20)
	text := "root:*:1::::::\n\n# comment::\nshort\n:empty name:\n" +
		"agent:!$6$x$" + hash + ":1:\n" +
		"first::1:\nfirst:!:1:\n" +
		"locked:!:1:\nlocked::1:\n" +
		"+nis::\nsha:$6$x$" + hash + ":1:\nyes:$y$j9T$" + hash + "\r\nold:abcdefghijklm:1\nplain:password:1\nend:"
	var got []string
	for _, e := range shadowEntries(text) {
		got = append(got, strings.TrimSpace(e.account+" "+e.hash))
		if strings.Contains(e.hash, hash) {
			t.Errorf("the entry of %s keeps its hash", e.account)
		}
	}
	if want := "first, sha SHA-512, yes yescrypt, old DES, end"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

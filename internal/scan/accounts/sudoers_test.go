package accounts

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// policiesOf reads the policies of an image with the given files; modes differ from
// 0644 where mode says so.
func policiesOf(t testing.TB, files map[string]string, mode map[string]fs.FileMode) ([]*Policy, *Accounts) {
	t.Helper()
	s := image.NewScanner(scan.Probes([]*scan.Rule{{Needs: []scan.Need{Policies}}}), limits.Default())
	l := s.NewLayer(context.Background())
	for _, name := range []string{"/etc/passwd", "/etc/group", "/usr/bin/sudo", "/usr/bin/doas", "/usr/bin/su", "/etc/pam.d/su", "/etc/sudoers", "/etc/sudoers.x", "/etc/doas.conf"} {
		body, ok := files[name]
		m, special := mode[name]
		switch {
		case !ok:
			continue
		case !special:
			m = 0o644
		}
		if err := l.Add(image.Entry{Path: name, Mode: m, Size: int64(len(body))}, strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	src := &image.Source{Config: image.Config{OS: "linux", DiffIDs: []string{""}}, Layers: []image.Blob{{Content: l.Content(), Size: -1}}}
	img, err := s.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Policy
	var acc *Accounts
	r := &scan.Rule{ID: "SBX000", Where: scan.InImage, Needs: []scan.Need{Fact, Policies},
		Run: func(p *scan.Pass) { all, acc = Policies.Of(p), Fact.Of(p) }}
	res := scan.Run(scan.Target{Image: img}, []*scan.Rule{r}, scan.Options{}, limits.Default())
	if len(res.Broken) > 0 {
		t.Fatal(res.Broken[0].Err)
	}
	return all, acc
}

const agents = "root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/:/bin/sh\nother:x:1001:1001::/:/x\n"

var setuid = map[string]fs.FileMode{"/usr/bin/sudo": 0o755 | fs.ModeSetuid, "/usr/bin/doas": 0o755 | fs.ModeSetuid}

// granted is what agent may run as root without a password.
func granted(t testing.TB, sudoers, doas string) string {
	t.Helper()
	files := map[string]string{"/etc/passwd": agents, "/etc/group": "root:x:0:\nagent:x:1000:\nsudo:x:27:agent\n"}
	if sudoers != "" {
		files["/usr/bin/sudo"], files["/etc/sudoers"] = "ELF", sudoers+"\n"
		files["/etc/sudoers.x"] = "agent ALL=(ALL) NOPASSWD: ALL\n"
	}
	if doas != "" {
		files["/usr/bin/doas"], files["/etc/doas.conf"] = "ELF", doas+"\n"
	}
	all, acc := policiesOf(t, files, setuid)
	var out []string
	for _, p := range all {
		for _, g := range p.Grants(acc.Resolve("agent")) {
			text := g.Command.String()
			if g.Unsure != "" {
				text += "?"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// TestSudoers checks what sudo 1.9.13 does with the same policies: "sudo -n" was run
// with each of them as the same user.
func TestSudoers(t *testing.T) {
	for _, tt := range []struct{ policy, want string }{
		{`agent ALL=(ALL)NOPASSWD:ALL`, "any command"},
		{`agent	ALL = ( ALL : ALL ) NOPASSWD : ALL`, "any command"},
		{`agent ALL=NOPASSWD: ALL`, "any command"},
		{"agent ALL=(ALL) \\\n  NOPASSWD: \\\n  ALL", "any command"},
		{"# comment \\\nagent ALL=(ALL) NOPASSWD: ALL", "any command"},
		{`agent ALL=(ALL) NOPASSWD: ALL # trailing`, "any command"},
		{`"agent" ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`"agent ALL=(ALL) NOPASSWD: ALL`, ""},
		{`\agent ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`"ALL" ALL=(ALL) NOPASSWD: ALL`, ""},
		{`other,agent ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`other , agent ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`ALL,!agent ALL=(ALL) NOPASSWD: ALL`, ""},
		{`!agent,ALL ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`!!agent ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{"agent ALL=(ALL) NOPASSWD: ALL\nagent ALL=(ALL) /bin/sh", "any command"},
		{"agent ALL=(ALL) NOPASSWD: ALL\nagent ALL=(other) /bin/sh", "any command"},
		{"agent ALL=(ALL) NOPASSWD: /bin/sh\nagent ALL=(ALL) ALL", ""},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh, ALL`, "any command"},
		{`agent ALL=(ALL) NOPASSWD: ALL, PASSWD: /bin/sh`, "any command"},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh : ALL=(ALL) ALL`, ""},
		{`agent ALL=(ALL) ALL : ALL=(ALL) NOPASSWD: /bin/sh`, "/bin/sh"},
		{`agent ALL=(ALL) ALL : ALL=(ALL) NOPASSWD: /bin/sh : ALL = !/bin/sh`, ""},
		{`agent ALL=(other) NOPASSWD: /usr/bin/id, (root) /bin/sh`, "/bin/sh"},
		{`agent ALL=(other) NOPASSWD: /usr/bin/id, /bin/sh`, ""},
		{"Cmnd_Alias A = /bin/sh : B = /usr/bin/id\nagent ALL=(ALL) NOPASSWD: A, !B", "/bin/sh"},
		{"Cmnd_Alias A = /bin/sh, !/bin/sh\nagent ALL=(ALL) NOPASSWD: A", ""},
		{"Cmnd_Alias A = /usr/bin/id\nagent ALL=(ALL) NOPASSWD: ALL, !A", "any command"},
		{"agent ALL=(ALL) NOPASSWD: LATER\nCmnd_Alias LATER = /bin/sh", "/bin/sh"},
		{"Cmnd_Alias LOOP = LOOP, /bin/sh\nagent ALL=(ALL) NOPASSWD: LOOP", "/bin/sh"},
		{"User_Alias A = B\nUser_Alias B = A, agent\nA ALL=(ALL) NOPASSWD: ALL", "any command"},
		{"User_Alias A = agent\nUser_Alias A = other\nA ALL=(ALL) NOPASSWD: ALL", "any command"},
		{"User_Alias A = ALL, !agent\nA ALL=(ALL) NOPASSWD: ALL", ""},
		{"User_Alias A = ALL, !other\n!A ALL=(ALL) NOPASSWD: ALL", ""},
		{`agent ALL=(ALL) CWD=/tmp NOPASSWD: ALL`, "any command"},
		{`agent ALL=(ALL) NOPASSWD: CWD=/tmp ALL`, ""},
		{`agent ALL=(ALL) TIMEOUT=10m NOEXEC: NOPASSWD: LOG_OUTPUT: ALL`, "any command"},
		{`agent ALL=(ALL) NOPASSWD: sha224:0000000000000000000000000000000000000000000000000000000000 /bin/sh`, "/bin/sh"},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh ""`, "/bin/sh without arguments"},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh -c id*`, "/bin/sh with certain arguments"},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh -c *`, "/bin/sh with certain arguments"},
		{`agent ALL=(ALL) NOPASSWD: /bin/s[h]`, "/bin/s[h]"},
		{`agent ALL=(ALL) NOPASSWD: /bin/`, "/bin/"},
		{`agent ALL=(ALL) NOPASSWD: /usr/bin/..`, "/usr/bin/.."},
		{`agent ALL=() NOPASSWD: ALL`, ""},
		{`agent ALL=(:) NOPASSWD: ALL`, ""},
		{`agent ALL=(ALL:) NOPASSWD: ALL`, ""},
		{`agent ALL=(#0) NOPASSWD: ALL`, "any command"},
		{`agent ALL=(%root) NOPASSWD: ALL`, "any command"},
		{`agent ALL=(!other) NOPASSWD: ALL`, ""},
		{`agent ALL=(root, !other) NOPASSWD: ALL`, "any command"},
		{"Runas_Alias R = root\nagent ALL=(R) NOPASSWD: ALL", "any command"},
		{"Defaults !authenticate\nagent ALL=(ALL) ALL", "any command"},
		{"Defaults !authenticate\nagent ALL=(ALL) PASSWD: ALL", ""},
		{"Defaults:agent !authenticate\nDefaults authenticate\nagent ALL=(ALL) ALL", ""},
		{"Defaults>root !authenticate\nagent ALL=(ALL) ALL", "any command"},
		{"Defaults!/bin/sh !authenticate\nagent ALL=(ALL) ALL", "/bin/sh"},
		{"Defaults!/usr/bin/id !authenticate\nagent ALL=(ALL) /bin/sh", ""},
		{"Defaults : agent !authenticate\nagent ALL=(ALL) ALL", ""},
		{"Defaults  env_reset , !authenticate , timestamp_timeout = 5\nagent ALL=(ALL) ALL", "any command"},
		{"Defaults secure_path = \"/bin:/usr/bin\" , !authenticate\nagent ALL=(ALL) ALL", "any command"},
		{"Defaults badpass_message=\"a, b # c\" , !authenticate\nagent ALL=(ALL) ALL", "any command"},
		{"defaults !authenticate\nagent ALL=(ALL) ALL", ""},
		{"agent\nagent ALL=(ALL) NOPASSWD: ALL", "any command"},
		{"agent ALL\nagent ALL=(ALL) NOPASSWD: ALL", "any command"},
		{"agent ALL=(ALL) NOPASSWD:\nagent ALL=(ALL) NOPASSWD: /bin/sh", "/bin/sh"},
		{`agent ALL=(ALL) NOPASSWD: sh`, ""},
		{`agent ALL=(ALL) nopasswd: ALL`, ""},
		{`agent ALL=(ALL) NOPASSWD ALL`, ""},
		{`agent ALL=(ALL): NOPASSWD: ALL`, ""},
		{`agent ALL(ALL) NOPASSWD: ALL`, ""},
		{`   agent ALL=(ALL) NOPASSWD: ALL   `, "any command"},
		{"agent ALL=(ALL) NOPASSWD: ALL\r", "any command"},
		{`#1000 ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`# 1000 ALL=(ALL) NOPASSWD: ALL`, ""},
		{`%agent ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`%#1000 ALL=(ALL) NOPASSWD: ALL`, "any command"},
		{`%sudo,!agent ALL=(ALL) NOPASSWD: ALL`, ""},
		{`agent, ALL=(ALL) NOPASSWD: ALL`, ""},
		{"agent ALL=(ALL) NOPASSWD: /bin/sh, \n", ""},
		{"@include /etc/sudoers.x\n", "any command"},
		{" @include /etc/sudoers.x\n", "any command"},
		{"#include /etc/sudoers.x\n", "any command"},
		{" #include /etc/sudoers.x\n", ""},
		{"# include /etc/sudoers.x\n", ""},
		{"@include \"/etc/sudoers.x\"\n", "any command"},
		{"@include sudoers.x # no\n", "any command"},
		{"@include sudoers.x\n", "any command"},
		{`agent ALL=(ALL) NOPASSWD: ^/bin/(ba)?sh$`, "^/bin/(ba)?sh$"},
		{`agent ALL=(ALL) NOPASSWD: /bin/sh ^.*$`, "/bin/sh with certain arguments"},
		{`agent ALL=(ALL) NOPASSWD: NOTBEFORE=20200101000000Z /bin/sh`, ""},
		{`agent ALL=(ALL) NOPASSWD: /bin/\sh`, "/bin/sh"},
		{`agent ALL=(ALL) !NOPASSWD: ALL`, ""},
		{`agent ALL=(ALL) !!ALL, NOPASSWD: !!ALL`, "any command"},
		{"agent build01=(ALL) NOPASSWD: ALL", "any command?"},
		{"agent ALL,!build01=(ALL) NOPASSWD: ALL", "any command?"},
		{"agent 10.0.0.0/8=(ALL) NOPASSWD: ALL", "any command?"},
		{"+staff ALL=(ALL) NOPASSWD: ALL", "any command?"},
		{"%:staff ALL=(ALL) NOPASSWD: ALL", "any command?"},
		{"agent ALL=(+staff) NOPASSWD: ALL", "any command?"},
		{"agent ALL=(%sudo) NOPASSWD: ALL", ""},
		{"agent ALL=(ALL) NOTAFTER=20990101000000Z NOPASSWD: ALL", "any command?"},
		{"agent ALL=(ALL) NOPASSWD: ALL\nagent build01=(ALL) ALL", "any command?"},
	} {
		if got := granted(t, tt.policy, ""); got != tt.want {
			t.Errorf("%s\n got %q, want %q", tt.policy, got, tt.want)
		}
	}
}

// TestDoas checks what doas 6.8.2 does with the same policies.
func TestDoas(t *testing.T) {
	for _, tt := range []struct{ policy, want string }{
		{"permit nopass agent", "any command"},
		{"permit nopass keepenv setenv { A B=C -D } agent as root cmd sh args -c id", "sh with certain arguments"},
		{"permit nopass agent cmd sh args", "sh without arguments"},
		{"permit nopass 1000", "any command"},
		{"permit nopass :sudo", "any command"},
		{"permit nopass :27", "any command"},
		{"permit nopass :wheel", ""},
		{"permit nopass other", ""},
		{"permit nopass agent as other", ""},
		{"permit nopass agent as 0", "any command"},
		{"permit agent", ""},
		{"permit nopass agent\npermit agent", ""},
		{"permit agent\npermit nopass agent", "any command"},
		{"permit nopass agent\ndeny agent cmd sh", "any command"},
		{"deny agent\npermit nopass agent cmd \\\n  sh # a comment", "sh"},
		{"# permit nopass agent", ""},
		{"permit nopass \"agent\"", "any command"},
		{"allow nopass agent", ""},
		{"permit nopass agent cmd", ""},
		{"permit nopass agent sh", ""},
	} {
		if got := granted(t, "", tt.policy); got != tt.want {
			t.Errorf("%s\n got %q, want %q", tt.policy, got, tt.want)
		}
	}
}

// TestHostilePolicy checks that a policy whose aliases multiply ends, and that what
// was not followed is not taken for known.
func TestHostilePolicy(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		x, y := strings.Repeat("A", i+1), strings.Repeat("A", i+2)
		b.WriteString("User_Alias " + x + " = !" + y + ", " + y + "\nCmnd_Alias " + x + " = " + y + ", " + y + "\n")
	}
	for range 20_000 {
		b.WriteString("A ALL=(x) PASSWD: A\n")
	}
	b.WriteString("agent ALL=(ALL) NOPASSWD: A\n" + strings.Repeat("@include sudoers\n", 300))
	if got := granted(t, b.String(), ""); got != "any command?" {
		t.Errorf("got %q", got)
	}
}

// TestUnreadPAM checks that what could not be read of su is told, where it can be run.
func TestUnreadPAM(t *testing.T) {
	const lets = "auth sufficient pam_permit.so\n"
	for _, tt := range []struct {
		name, pam string
		mode      fs.FileMode
		want      string
	}{
		{"read", lets, 0o755 | fs.ModeSetuid, "lets in"},
		{"asks", "auth required pam_unix.so\n", 0o755 | fs.ModeSetuid, ""},
		{"too large", lets + strings.Repeat("#\n", maxTable/2), 0o755 | fs.ModeSetuid, "unknown"},
		{"too large, and nobody may run it", lets + strings.Repeat("#\n", maxTable/2), 0o755, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, acc := policiesOf(t, map[string]string{
				"/etc/passwd": agents, "/etc/group": "root:x:0:\n", "/usr/bin/su": "ELF", "/etc/pam.d/su": tt.pam,
			}, map[string]fs.FileMode{"/usr/bin/su": tt.mode})
			got := ""
			for _, p := range all {
				switch {
				case p.Tool != "su":
				case p.Unknown != "":
					got = "unknown"
				case len(p.Grants(acc.Resolve("agent"))) > 0:
					got = "lets in"
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("User_Alias A = %sudo, !#1 : B = \"x\"\nDefaults:A env_keep += \"B\", !authenticate\nA ALL=(ALL:ALL) NOPASSWD: /bin/s*, !ALL", "permit nopass setenv { A } :b as c cmd d args e")
	f.Add("@includedir /etc\n#include x\n", "deny \\\n")
	f.Fuzz(func(t *testing.T, sudoers, doas string) { granted(t, sudoers, doas) })
}

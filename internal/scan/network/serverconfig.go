package network

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Directive is a line of a server's configuration that lets more people in than its
// defaults do, or that says where it listens.
type Directive struct {
	Line    int
	Text    string // as it may be shown: "PermitRootLogin yes"
	Opens   bool   // it lets in somebody who would be kept out without it
	Address string // host on which the server listens; empty if the line does not say
	Port    int    // the same for the port; 0 if it does not
}

// ServerConfigs are the directives that matter of sshd, Jupyter, code-server, VNC
// servers, xrdp and supervisord.
var ServerConfigs = &image.Probe[[]Directive]{
	Name: "server-config", Version: 2,
	Want: func(e image.Entry) bool { return configKind(e.Path) != noConfig && e.Size <= 256<<10 },
	Read: func(e image.Entry, b []byte) ([]Directive, bool) {
		list := DirectivesIn(e.Path, string(b))
		return list, len(list) > 0
	},
}

// DirectivesIn are those of a file that is known by its text.
func DirectivesIn(p, text string) []Directive {
	var out []Directive
	kind := configKind(p)
	section, n, guarded := "", 0, false
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' || len(out) >= maxSettings {
			continue
		}
		if m := sectionHead.FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1])
			continue
		}
		guarded = guarded || kind.guards(section, line)
		if d, ok := kind.read(section, line); ok {
			d.Line = n
			out = append(out, d)
		}
	}
	for i := range out {
		out[i].Opens = out[i].Opens && !guarded
	}
	return out
}

type config uint8

const (
	noConfig config = iota
	sshConfig
	jupyterConfig
	editorConfig
	vncConfig
	rdpConfig
	supervisorConfig
)

// configFiles are the files of each kind, by the documentation of each server.
var configFiles = []struct {
	kind  config
	files *regexp.Regexp
}{
	{sshConfig, regexp.MustCompile(`^/etc/ssh/sshd_config$|^/etc/ssh/sshd_config\.d/[^/]+\.conf$`)},
	{jupyterConfig, regexp.MustCompile(`/jupyter_(server_|notebook_|lab_)?config\.(py|json)$`)},
	{editorConfig, regexp.MustCompile(`/code-server/config\.yaml$`)},
	{vncConfig, regexp.MustCompile(`/\.vnc/config$|/(etc|\.config)/tigervnc/(config|vncserver-config-(defaults|mandatory))$`)},
	{rdpConfig, regexp.MustCompile(`^/etc/xrdp/xrdp\.ini$`)},
	{supervisorConfig, regexp.MustCompile(`/supervisord\.conf$|/supervisord?/conf\.d/[^/]+\.conf$|/supervisord\.d/[^/]+\.(ini|conf)$`)},
}

func configKind(p string) config {
	switch base := path.Base(p); {
	case strings.HasPrefix(base, "jupyter_"), strings.HasPrefix(base, "config"), strings.HasPrefix(base, "vncserver-config"), strings.HasPrefix(p, "/etc/"), strings.HasSuffix(base, ".conf"):
	default:
		return noConfig // as most paths are, at less cost than that of the expressions
	}
	for _, c := range configFiles {
		if c.files.MatchString(p) {
			return c.kind
		}
	}
	return noConfig
}

// Configures reports whether p is the configuration of a program that is known to
// listen.
func Configures(p, program string) bool {
	switch configKind(p) {
	case sshConfig:
		return program == "sshd"
	case jupyterConfig:
		return strings.HasPrefix(program, "jupyter") || program == "notebook"
	case editorConfig:
		return program == "code-server"
	case vncConfig:
		return strings.Contains(program, "vnc")
	case rdpConfig:
		return program == "xrdp"
	}
	return false
}

// IsSSHConfig reports whether p configures sshd.
func IsSSHConfig(p string) bool { return configKind(p) == sshConfig }

var (
	sshOpen    = regexp.MustCompile(`(?i)^(PermitRootLogin|PermitEmptyPasswords|PasswordAuthentication|GatewayPorts|PermitUserEnvironment|StrictModes|HostbasedAuthentication)[\s=]+"?(yes|no|clientspecified)\b`)
	sshPlace   = regexp.MustCompile(`(?i)^(ListenAddress|Port)[\s=]+"?(\S+?)"?$`)
	noToken    = regexp.MustCompile(`["']?\btoken["']?\s*[:=]\s*[ub]?(""|'')`)
	password   = regexp.MustCompile(`["']?\b(password|hashed_password)["']?\s*[:=]\s*[ub]?["'][^"']`)
	anyIP      = regexp.MustCompile(`["']?\bip["']?\s*[:=]\s*["'](\*|0\.0\.0\.0|::)["']`)
	bindAddr   = regexp.MustCompile(`^bind-addr\s*:\s*["']?([^\s"']+)`)
	noAuth     = regexp.MustCompile(`(?i)^auth\s*:\s*["']?none\b`)
	vncOpen    = regexp.MustCompile(`(?i)^\$?securitytypes\s*=\s*["']?(?:[\w,]*,)?(?:none|tlsnone|x509none)\b`)
	vncPlace   = regexp.MustCompile(`(?i)^\$?localhost\b\s*(?:=\s*["']?(\w+))?`)
	rdpPlace   = regexp.MustCompile(`(?i)^(?:port|address)\s*=\s*(\S+)`)
	superPlace = regexp.MustCompile(`(?i)^port\s*=\s*(\S+)`)
	superLogin = regexp.MustCompile(`(?i)^password\s*=\s*\S`)
)

// supervisorHTTP is the section in which supervisord is told to be steered over HTTP
// (supervisord.org, "Configuration File").
const supervisorHTTP = "inet_http_server"

// guards reports whether a line asks for a password that makes up for what others open.
func (k config) guards(section, line string) bool {
	switch k {
	case jupyterConfig:
		return password.MatchString(line)
	case supervisorConfig:
		return section == supervisorHTTP && superLogin.MatchString(line)
	}
	return false
}

func (k config) read(section, line string) (Directive, bool) {
	switch k {
	case sshConfig:
		return sshDirective(line)
	case jupyterConfig:
		if noToken.MatchString(line) {
			return Directive{Text: `token = ""`, Opens: true}, true
		}
		if m := anyIP.FindStringSubmatch(line); m != nil {
			return Directive{Text: "ip", Address: m[1]}, true
		}
	case editorConfig:
		if noAuth.MatchString(line) {
			return Directive{Text: "auth: none", Opens: true}, true
		}
		if m := bindAddr.FindStringSubmatch(line); m != nil {
			return Directive{Text: "bind-addr", Address: hostOf(m[1]), Port: portOf(m[1])}, true
		}
	case vncConfig:
		return vncDirective(line)
	case rdpConfig:
		if m := rdpPlace.FindStringSubmatch(line); m != nil && section == "globals" {
			return place(m[1])
		}
	case supervisorConfig:
		if m := superPlace.FindStringSubmatch(line); m != nil && section == supervisorHTTP {
			d, ok := place(m[1])
			d.Text, d.Opens = "port = "+m[1], ok && Everywhere(d.Address)
			return d, d.Opens
		}
	}
	return Directive{}, false
}

// place reads "9001", ":9001", "*:9001", "127.0.0.1:9001" and the same behind a scheme;
// without a host that is every interface.
func place(value string) (Directive, bool) {
	d := Directive{Text: "port", Port: portOf(value), Address: hostOf(value)}
	if digits.MatchString(value) || strings.HasPrefix(value, ":") || d.Address == "" {
		d.Address = everywhere
		d.Port, _ = strconv.Atoi(strings.TrimPrefix(value, ":")) // 0 for what is no port
	}
	return d, Everywhere(d.Address) || Loopback(d.Address)
}

// vncDirective reads a line of vncserver's settings, in its own form or in Perl's.
func vncDirective(line string) (Directive, bool) {
	if vncOpen.MatchString(line) {
		return Directive{Text: "SecurityTypes None", Opens: true}, true
	}
	m := vncPlace.FindStringSubmatch(line)
	switch {
	case m == nil:
		return Directive{}, false
	case no.MatchString(m[1]):
		return Directive{Text: "localhost = no", Address: everywhere}, true
	}
	return Directive{Text: "localhost", Address: here}, true
}

// sshDirective reads a directive: StrictModes matters when it says no, the others when
// they say yes.
func sshDirective(line string) (Directive, bool) {
	if m := sshPlace.FindStringSubmatch(line); m != nil {
		d := Directive{Text: m[1], Address: m[2]}
		if strings.EqualFold(m[1], "Port") {
			d.Address = ""
			d.Port, _ = strconv.Atoi(m[2]) // 0 for what is no port
		} else if d.Port = portOf(m[2]); d.Port > 0 {
			d.Address = hostOf(m[2])
		}
		return d, true
	}
	m := sshOpen.FindStringSubmatch(line)
	if m == nil || strings.EqualFold(m[2], "no") != strings.EqualFold(m[1], "StrictModes") {
		return Directive{}, false
	}
	return Directive{Text: m[1] + " " + m[2], Opens: true}, true
}

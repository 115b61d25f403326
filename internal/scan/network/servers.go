package network

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Remote returns what whoever connects to a program gets, if letting somebody in
// from elsewhere is what the program is for: "a shell, over SSH"; else "".
func Remote(name string) string { return remotePrograms[name] }

const (
	shellOverSSH = "a shell, over SSH"
	desktop      = "the desktop, over VNC"
	browserShell = "a shell in the browser"
)

// remotePrograms are servers by the names of their programs.
var remotePrograms = map[string]string{
	"sshd": shellOverSSH, "dropbear": shellOverSSH, "dropbearmulti": shellOverSSH, "tinysshd": shellOverSSH, "sshd-session": "",
	"telnetd": "a shell, over Telnet", "in.telnetd": "a shell, over Telnet", "utelnetd": "a shell, over Telnet",
	"in.rlogind": "a shell, over rlogin", "rlogind": "a shell, over rlogin", "in.rshd": "a shell, over rsh", "rshd": "a shell, over rsh", "in.rexecd": "a shell, over rexec",
	"Xvnc": desktop, "Xtigervnc": desktop, "Xtightvnc": desktop, "Xvnc4": desktop, "Xkasmvnc": desktop, "x11vnc": desktop, "x0vncserver": desktop,
	"X0tigervnc": desktop, "wayvnc": desktop, "xrdp": "the desktop, over RDP", "guacd": "a remote desktop", "nxserver": "a remote desktop", "x2gostartagent": "a remote desktop",
	"websockify": "what VNC shows, in the browser", "novnc_proxy": "what VNC shows, in the browser",
	"ttyd": browserShell, "gotty": browserShell, "wetty": browserShell, "shellinaboxd": browserShell, "tmate": "a shared terminal",
	"code-server": "an editor with a shell, in the browser", "openvscode-server": "an editor with a shell, in the browser",
}

// remotePackages are the packages that bring them, by the program.
var remotePackages = map[string]string{
	"openssh-server": "sshd", "openssh-sftp-server": "", "openssh": "sshd", "dropbear": "dropbear", "dropbear-bin": "dropbear", "tinyssh": "tinysshd",
	"telnetd": "telnetd", "inetutils-telnetd": "telnetd", "telnet-server": "telnetd", "rsh-server": "in.rshd", "inetutils-inetd": "",
	"tigervnc-standalone-server": "Xtigervnc", "tigervnc-server": "Xvnc", "tigervnc-scraping-server": "x0vncserver", "tightvncserver": "Xtightvnc", "tigervnc": "Xvnc",
	"vnc4server": "Xvnc4", "x11vnc": "x11vnc", "wayvnc": "wayvnc", "xrdp": "xrdp", "guacd": "guacd", "x2goserver": "x2gostartagent",
	"websockify": "websockify", "novnc": "novnc_proxy", "python3-websockify": "websockify",
	"ttyd": "ttyd", "shellinabox": "shellinaboxd", "tmate": "tmate", "code-server": "code-server", "wetty": "wetty",
}

// RemotePackage returns the server that a package brings; empty if it brings none.
// On the distributions of apk "openssh" is a server, on others a client.
func RemotePackage(manager, name string) string {
	if name == "openssh" && manager != "apk" && manager != "pacman" {
		return ""
	}
	return remotePackages[name]
}

// A Directive is a line of a server's configuration that lets more people in than its
// defaults do, or that says where it listens.
type Directive struct {
	Line    int
	Text    string // as it may be shown: "PermitRootLogin yes"
	Address string // host on which the server listens; empty if the line does not say
	Port    int    // the same for the port; 0 if it does not
}

// ServerConfigs are the directives of sshd, Jupyter and code-server that matter.
var ServerConfigs = &image.Probe[[]Directive]{
	Name: "server-config", Version: 1,
	Want: func(e image.Entry) bool { return configKind(e.Path) != noConfig && e.Size <= 256<<10 },
	Read: func(e image.Entry, b []byte) ([]Directive, bool) {
		var out []Directive
		n, kind := 0, configKind(e.Path)
		for line := range strings.Lines(string(b)) {
			n++
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || len(out) >= maxSettings {
				continue
			}
			if d, ok := kind.read(line); ok {
				d.Line = n
				out = append(out, d)
			}
		}
		return out, len(out) > 0
	},
}

// AuthorizedKeys is how many keys a file lets log in (sshd(8), "AUTHORIZED_KEYS FILE
// FORMAT").
var AuthorizedKeys = &image.Probe[int]{
	Name: "authorized-keys", Version: 1,
	Want: func(e image.Entry) bool {
		return strings.HasPrefix(path.Base(e.Path), "authorized_keys") && e.Size <= 256<<10
	},
	Read: func(_ image.Entry, b []byte) (int, bool) {
		n := len(publicKey.FindAll(b, maxSettings))
		return n, n > 0
	},
}

var publicKey = regexp.MustCompile(`(?m)^[^#\n]*\b(ssh-(rsa|dss|ed25519)|ecdsa-sha2-\w+|sk-(ssh|ecdsa)-[\w-]+(@openssh\.com)?) AAAA`)

type config uint8

const (
	noConfig config = iota
	sshConfig
	jupyterConfig
	editorConfig
)

var jupyterFile = regexp.MustCompile(`/jupyter(_(server|notebook|lab))?_config\.(py|json)$`)

func configKind(p string) config {
	switch {
	case p == "/etc/ssh/sshd_config", strings.HasPrefix(p, "/etc/ssh/sshd_config.d/") && path.Ext(p) == ".conf":
		return sshConfig
	case strings.Contains(p, "jupyter_") && jupyterFile.MatchString(p):
		return jupyterConfig
	case strings.HasSuffix(p, "/code-server/config.yaml"):
		return editorConfig
	}
	return noConfig
}

// Configures reports whether p is the configuration of a program: of sshd, Jupyter or
// code-server.
func Configures(p, program string) bool {
	switch configKind(p) {
	case sshConfig:
		return program == "sshd"
	case jupyterConfig:
		return strings.HasPrefix(program, "jupyter") || program == "notebook"
	case editorConfig:
		return program == "code-server"
	}
	return false
}

// IsSSHConfig reports whether p configures sshd.
func IsSSHConfig(p string) bool { return configKind(p) == sshConfig }

// IsNotebookConfig reports whether p configures Jupyter.
func IsNotebookConfig(p string) bool { return configKind(p) == jupyterConfig }

var (
	sshOpen  = regexp.MustCompile(`(?i)^(PermitRootLogin|PermitEmptyPasswords|PasswordAuthentication|GatewayPorts|PermitUserEnvironment|StrictModes|HostbasedAuthentication)[\s=]+"?(yes|no|clientspecified)\b`)
	sshPlace = regexp.MustCompile(`(?i)^(ListenAddress|Port)[\s=]+"?(\S+?)"?$`)
	noToken  = regexp.MustCompile(`["']?\b(token|password|hashed_password)["']?\s*[:=]\s*[ub]?(""|'')`)
	openAuth = regexp.MustCompile(`["']?\b(disable_check_xsrf|allow_remote_access|allow_root)["']?\s*[:=]\s*[Tt]rue\b`)
	anyIP    = regexp.MustCompile(`["']?\bip["']?\s*[:=]\s*["'](\*|0\.0\.0\.0|::)["']`)
	bindAddr = regexp.MustCompile(`^bind-addr\s*:\s*["']?([^\s"']+)`)
	noAuth   = regexp.MustCompile(`(?i)^auth\s*:\s*["']?none\b`)
)

func (k config) read(line string) (Directive, bool) {
	switch k {
	case sshConfig:
		return sshDirective(line)
	case jupyterConfig:
		for _, form := range []*regexp.Regexp{noToken, openAuth, anyIP} {
			if m := form.FindStringSubmatch(line); m != nil {
				if form == noToken {
					return Directive{Text: m[1] + ` = ""`}, true
				}
				d := Directive{Text: strings.Trim(m[0], `"'`)}
				if form == anyIP {
					d.Text, d.Address = "ip", m[1]
				}
				return d, true
			}
		}
	case editorConfig:
		if noAuth.MatchString(line) {
			return Directive{Text: "auth: none"}, true
		}
		if m := bindAddr.FindStringSubmatch(line); m != nil {
			return Directive{Text: "bind-addr", Address: hostOf(m[1]), Port: portOf(m[1])}, true
		}
	}
	return Directive{}, false
}

// stricter are the directives that matter when they say no; of the others, yes.
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
	return Directive{Text: m[1] + " " + m[2]}, true
}

// NoToken says by which argument or variable a Jupyter, a terminal or an editor in the
// browser lets everybody in; empty if it does not.
func NoToken(argv []string) string {
	name, args := called(argv)
	switch {
	case strings.HasPrefix(name, "jupyter") || name == "notebook":
		for _, o := range []string{"--NotebookApp.token", "--ServerApp.token", "--IdentityProvider.token"} {
			if v, ok := option(args, o); ok && strings.Trim(v, `"'`) == "" {
				return o + "="
			}
		}
	case name == "code-server":
		if v, _ := option(args, "--auth"); v == "none" {
			return "--auth none"
		}
	case name == "openvscode-server":
		if _, ok := option(args, "--without-connection-token"); ok {
			return "--without-connection-token"
		}
	case name == "x11vnc":
		if _, ok := option(args, "-nopw"); ok {
			return "-nopw"
		}
	case strings.HasPrefix(name, "X") && strings.Contains(name, "vnc"):
		if v, ok := option(args, "-SecurityTypes"); ok && strings.EqualFold(v, "None") {
			return "-SecurityTypes None"
		}
	}
	return ""
}

package network

import (
	"path"
	"regexp"
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
	"xpra": "the desktop, over xpra", "cockpit-ws": "a console of the machine, in the browser",
	"code-server": "an editor with a shell, in the browser", "openvscode-server": "an editor with a shell, in the browser",
}

// remotePackages are the packages that bring them, by the program.
var remotePackages = map[string]string{
	"openssh-server": "sshd", "ssh": "sshd", "task-ssh-server": "sshd", "openssh-sftp-server": "", "openssh": "sshd", "dropbear": "dropbear", "dropbear-bin": "dropbear", "tinyssh": "tinysshd",
	"telnetd": "telnetd", "inetutils-telnetd": "telnetd", "telnet-server": "telnetd", "rsh-server": "in.rshd", "inetutils-inetd": "",
	"tigervnc-standalone-server": "Xtigervnc", "tigervnc-server": "Xvnc", "tigervnc-scraping-server": "x0vncserver", "tightvncserver": "Xtightvnc", "tigervnc": "Xvnc",
	"vnc4server": "Xvnc4", "x11vnc": "x11vnc", "wayvnc": "wayvnc", "xrdp": "xrdp", "guacd": "guacd", "kasmvncserver": "Xkasmvnc", "xpra": "xpra", "cockpit-ws": "cockpit-ws", "cockpit": "cockpit-ws", "x2goserver": "x2gostartagent",
	"websockify": "websockify", "novnc": "novnc_proxy", "python3-websockify": "websockify",
	"ttyd": "ttyd", "shellinabox": "shellinaboxd", "tmate": "tmate", "code-server": "code-server", "wetty": "wetty",
}

// RemotePackage returns the server that a package brings; empty if it brings none.
// On the distributions of apk "openssh" is a server, on others a client; on those of
// apt "ssh" is both.
func RemotePackage(manager, name string) string {
	switch debian := manager == "apt" || manager == "apt-get" || manager == "aptitude"; {
	case name == "openssh" && manager != "apk" && manager != "pacman", name == "ssh" && !debian:
		return ""
	}
	return remotePackages[name]
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

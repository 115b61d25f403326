package network

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// ttydOptions are the options of ttyd and gotty that take a value; behind the first
// operand stand those of the command that they show (ttyd(1)).
var ttydOptions = shell.Options{
	"-c": "credential", "--credential": "credential", "-H": "credential", "--auth-header": "credential", "-A": "credential", "--ssl-ca": "credential",
	"-p": "p", "--port": "p", "-i": "i", "--interface": "i", "-a": "i", "--address": "i", "-U": "U", "--socket-owner": "U", "-u": "u", "--uid": "u", "-g": "g", "--gid": "g",
	"-s": "s", "--signal": "s", "-w": "w", "--cwd": "w", "-I": "I", "--index": "I", "-b": "b", "--base-path": "b", "-P": "P", "--ping-interval": "P", "-f": "f", "--srv-buf-size": "f",
	"-m": "m", "--max-clients": "m", "-t": "t", "--client-option": "t", "-T": "T", "--terminal-type": "T", "-C": "C", "--ssl-cert": "C", "-K": "K", "--ssl-key": "K", "-d": "d", "--debug": "d",
}

var (
	vncServer = regexp.MustCompile(`^(X.*vnc.*|(tiger|tight)?vncserver)$`)
	noneType  = regexp.MustCompile(`(?i)(^|,)(none|tlsnone|x509none)(,|$)`)
	shells    = regexp.MustCompile(`(?i)^(exec|system):['"]?(/\S*/)?(ba|da|a|z)?sh\b`)
)

// NoToken says how a Jupyter, a terminal, an editor or a desktop is told to let
// everybody in: "with --auth none", "without --credential"; empty if it is not.
func NoToken(argv []string) string {
	name, args := called(argv)
	switch {
	case strings.HasPrefix(name, "jupyter") || name == "notebook":
		return tokenless(args)
	case name == "code-server":
		if v, _ := option(args, "--auth"); v == "none" {
			return "with --auth none"
		}
	case name == "openvscode-server":
		if _, ok := option(args, "--without-connection-token"); ok {
			return "with --without-connection-token"
		}
	case name == "ttyd":
		p := ttydOptions.Parse(shell.Known(args...), false)
		if _, ok := p.Values["credential"]; !ok && len(p.Rest) > 0 {
			return "without --credential"
		}
	case name == "x11vnc":
		if _, ok := option(args, "-nopw"); ok {
			return "with -nopw"
		}
	case vncServer.MatchString(name):
		for _, o := range []string{"-SecurityTypes", "--SecurityTypes"} {
			if v, ok := option(args, o); ok && noneType.MatchString(v) {
				return "with -SecurityTypes None"
			}
		}
	case name == "socat":
		if _, listens := socat(args); listens && slices.ContainsFunc(args, shells.MatchString) {
			return "to run a shell"
		}
	}
	return ""
}

// tokenless says by which option Jupyter asks for no token, if it asks for no password
// instead.
func tokenless(args []string) string {
	given := func(o string) (string, bool) {
		v, ok := option(args, o)
		return strings.Trim(v, `"'`), ok
	}
	for _, o := range []string{"--NotebookApp.password", "--ServerApp.password", "--PasswordIdentityProvider.hashed_password"} {
		if v, _ := given(o); v != "" {
			return ""
		}
	}
	for _, o := range []string{"--NotebookApp.token", "--ServerApp.token", "--IdentityProvider.token"} {
		if v, ok := given(o); ok && v == "" {
			return "with " + o + "="
		}
	}
	return ""
}

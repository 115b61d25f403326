package network

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

var socatListen = regexp.MustCompile(`(?i)^(?:tcp[46]?|openssl)-(?:listen|l):(\d+)(.*)$`)

func socat(args []string) (Listener, bool) {
	for _, a := range args {
		m := socatListen.FindStringSubmatch(a)
		if m == nil {
			continue
		}
		l := Listener{Program: "socat", Address: everywhere, Why: "by default"}
		l.Port, _ = strconv.Atoi(m[1])
		if _, bind, ok := strings.Cut(m[2], "bind="); ok {
			bind, _, _ = strings.Cut(bind, ",")
			l.Address, l.Why = hostOf(bind), "bind"
		}
		return l, true
	}
	return Listener{}, false
}

// websockify listens on its first operand, "[host:]port", or on what --listen names.
func websockify(name string, args []string) (Listener, bool) {
	l := Listener{Program: name, Service: "VNC in the browser", Address: everywhere, Port: 6080, Why: "by default"}
	if v, ok := option(args, "--listen"); ok {
		l.place("--listen", v, everywhere)
		return l, true
	}
	for _, a := range args {
		if _, port, ok := strings.Cut(a, ":"); ok && digits.MatchString(port) || digits.MatchString(a) {
			l.place("its first argument", a, everywhere)
			break
		}
	}
	return l, true
}

var (
	digits = regexp.MustCompile(`^\d+$`)
	agent  = regexp.MustCompile(`^-(?:agentlib:|Xrun)jdwp[=:].*\baddress=(?:(\S+?):)?(\d+)`)
)

// jdwp is the debugger of Java, which since version 9 listens on this machine only
// unless it is told "*" (JDK 9 release notes, JDK-8041435).
func jdwp(args []string) (Listener, bool) {
	for _, a := range args {
		if m := agent.FindStringSubmatch(a); m != nil && strings.Contains(a, "server=y") {
			l := Listener{Program: "java", Service: "the Java debugger", Address: here, Why: "by default"}
			l.Port, _ = strconv.Atoi(m[2])
			if m[1] != "" {
				l.Address, l.Why = m[1], "address="+m[1]
			}
			return l, true
		}
	}
	return Listener{}, false
}

// netcatOptions are the short options that take a value in the netcats of OpenBSD,
// Nmap and the old one.
var netcatOptions = valued("pwsiceqXxIOTVmg", "--exec", "--sh-exec", "--source-port", "--allow", "--deny")

// netcat listens with -l, on "[host] port" or on the port of -p.
func netcat(name string, args []string) (Listener, bool) {
	p := netcatOptions.Parse(shell.Known(args...), true)
	if !p.Flags["-l"] && !p.Flags["--listen"] || p.Flags["-u"] || p.Flags["-U"] {
		return Listener{}, false
	}
	l := Listener{Program: name, Address: everywhere, Why: "by default"}
	if _, runs := p.Values["e"]; runs {
		l.Service = "a program that netcat runs"
	}
	if v, ok := p.Values["s"]; ok {
		l.Address, l.Why = v.Text, "-s"
	}
	l.Port, _ = strconv.Atoi(p.Values["p"].Text) // 0 for what is not known
	for _, w := range p.Rest {
		if n, err := strconv.Atoi(w.Text); err == nil {
			l.Port = n
		} else {
			l.Address, l.Why = w.Text, "its first argument"
		}
	}
	return l, true
}

var seleniumJar = regexp.MustCompile(`^selenium[\w.-]*\.jar$`)

// selenium is the server that hands out browsers (selenium.dev, "CLI options in the
// Selenium Grid").
func selenium(args []string) (Listener, bool) {
	jar, _ := option(args, "-jar")
	if !seleniumJar.MatchString(path.Base(jar)) {
		return Listener{}, false
	}
	l := Listener{Program: "selenium", Service: webDriver, Address: everywhere, Port: 4444, Why: "by default"}
	for _, a := range args {
		if a == "node" {
			l.Port = 5555
		}
	}
	if v, ok := option(args, "--host"); ok && v != "" {
		l.place("--host", v, everywhere)
	}
	for _, o := range []string{"--port", "-port"} {
		if v, ok := option(args, o); ok {
			l.Port, _ = strconv.Atoi(v) // 0 for what is not known
		}
	}
	return l, true
}

package network

import (
	"net"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A Listener is a program that listens, by its command line.
type Listener struct {
	Program string // as called, without its directory: "uvicorn"; of a Python module its name
	Service string // what whoever connects gets, if it is a way to steer the sandbox: "a terminal in the browser"
	Address string // host, without a port; empty if it is not known
	Port    int    // 0 if it is not known
	Why     string // what says so: "--host 0.0.0.0", "OLLAMA_HOST", "by default"
}

// A server is a program that is known to listen.
type server struct {
	names    *regexp.Regexp
	service  string
	address  []string // options and variables that give the address, with or without a port
	port     []string // options that give the port
	listens  []string // options without which it does not listen; nil if it always does
	fallback string   // the address without any; empty if that is not known
	number   int      // the port without any; 0 if it has none
	only     []string // options that keep it to this machine
}

func program(names string) *regexp.Regexp { return regexp.MustCompile(`^(` + names + `)$`) }

const (
	everywhere = "0.0.0.0"
	here       = "127.0.0.1"
	terminal   = "a terminal in the browser"
	editor     = "an editor with a terminal in the browser"
)

// servers are the known ones, with the defaults of their documentation.
var servers = []server{
	{names: program(`uvicorn`), address: []string{"--host", "UVICORN_HOST"}, port: []string{"--port"}, fallback: here, number: 8000},
	{names: program(`gunicorn|hypercorn`), address: []string{"-b", "--bind"}},
	{names: program(`flask`), address: []string{"-h", "--host", "FLASK_RUN_HOST"}, port: []string{"-p", "--port"}, fallback: here, number: 5000},
	{names: program(`http\.server`), address: []string{"-b", "--bind"}, fallback: everywhere, number: 8000},
	{names: program(`streamlit`), address: []string{"--server.address", "STREAMLIT_SERVER_ADDRESS"}, port: []string{"--server.port"}, fallback: everywhere, number: 8501},
	{names: program(`ollama`), address: []string{"OLLAMA_HOST"}, fallback: here, number: 11434},
	{names: program(`jupyter|jupyter-(lab|notebook|server|labhub)|jupyterlab|notebook|jupyter_server`), service: "Jupyter", address: []string{"--ip", "--ServerApp.ip", "--NotebookApp.ip"}, port: []string{"--port", "--ServerApp.port", "--NotebookApp.port"}, fallback: here, number: 8888},
	{names: program(`ttyd`), service: terminal, address: []string{"-i", "--interface"}, port: []string{"-p", "--port"}, fallback: everywhere, number: 7681},
	{names: program(`gotty`), service: terminal, address: []string{"-a", "--address"}, port: []string{"-p", "--port"}, fallback: everywhere, number: 8080},
	{names: program(`wetty`), service: terminal, address: []string{"--host"}, port: []string{"-p", "--port"}, fallback: everywhere, number: 3000},
	{names: program(`shellinaboxd`), service: terminal, port: []string{"-p", "--port"}, fallback: everywhere, number: 4200, only: []string{"--localhost-only"}},
	{names: program(`code-server`), service: editor, address: []string{"--bind-addr", "--host"}, port: []string{"--port"}, fallback: here, number: 8080},
	{names: program(`openvscode-server`), service: editor, address: []string{"--host"}, port: []string{"--port"}, fallback: here, number: 3000},
	{names: program(`sshd|dropbear`), service: "SSH", address: []string{"-p", "-oListenAddress"}, fallback: everywhere, number: 22},
	{names: program(`(in\.)?telnetd`), service: "Telnet", fallback: everywhere, number: 23},
	{names: program(`X(tiger|tight|k?asm)?vnc4?`), service: "VNC", address: []string{"-interface"}, port: []string{"-rfbport"}, fallback: everywhere, number: 5900, only: []string{"-localhost"}},
	{names: program(`x11vnc`), service: "VNC", address: []string{"-listen"}, port: []string{"-rfbport"}, fallback: everywhere, number: 5900, only: []string{"-localhost"}},
	{names: program(`wayvnc|xrdp|guacd`), service: "a remote desktop", fallback: ""},
	{names: program(`debugpy`), service: "the Python debugger", address: []string{"--listen"}, listens: []string{"--listen"}, fallback: here, number: 5678},
	{names: program(`node|nodejs`), service: "the Node.js debugger", address: []string{"--inspect", "--inspect-brk"}, listens: []string{"--inspect", "--inspect-brk"}, fallback: here, number: 9229},
	{names: program(`google-chrome(-stable|-beta)?|chrome|chromium(-browser)?|chrome-headless-shell|headless_shell`), service: "Chrome's debugger", address: []string{"--remote-debugging-address"}, port: []string{"--remote-debugging-port"}, listens: []string{"--remote-debugging-port"}, fallback: here},
	{names: program(`dockerd`), service: "the Docker engine", address: []string{"-H", "--host"}, listens: []string{"-H", "--host"}},
	{names: program(`mongod`), address: []string{"--bind_ip"}, port: []string{"--port"}, fallback: here, number: 27017},
}

// Listening says where a command listens, if it is known that it does: by what its
// program documents, else by options that commonly mean so. env are the variables
// that it is started with.
func Listening(argv []string, env func(name string) (string, bool)) (Listener, bool) {
	name, args := called(argv)
	switch name {
	case "":
		return Listener{}, false
	case "socat":
		return socat(args)
	case "websockify", "novnc_proxy":
		return websockify(name, args)
	case "java":
		return jdwp(args)
	}
	for _, s := range servers {
		if s.names.MatchString(name) {
			return s.listening(name, args, env)
		}
	}
	for _, o := range common {
		if v, ok := option(args, o); ok && (Everywhere(v) || Loopback(v)) {
			return Listener{Program: name, Address: hostOf(v), Port: portOf(v), Why: shownOption(o, v)}, true
		}
	}
	return Listener{}, false
}

// common are the options by which programs are told where to listen.
var common = []string{"--host", "--bind", "--ip", "--listen", "--address", "--bind-address", "--bind-addr", "--listen-address", "--listen-host", "--server-name"}

// called is the program of a command line, or the module that Python is told to run.
func called(argv []string) (name string, args []string) {
	if len(argv) == 0 {
		return "", nil
	}
	name, args = path.Base(argv[0]), argv[1:]
	if strings.HasPrefix(name, "python") {
		for i, a := range args {
			if a == "-m" && i+1 < len(args) {
				return args[i+1], args[i+2:]
			}
			if !strings.HasPrefix(a, "-") {
				break
			}
		}
	}
	return name, args
}

func (s server) listening(name string, args []string, env func(string) (string, bool)) (Listener, bool) {
	l := Listener{Program: name, Service: s.service, Address: s.fallback, Port: s.number, Why: "by default"}
	for i, o := range s.listens {
		if _, ok := option(args, o); ok {
			break
		} else if i == len(s.listens)-1 {
			return Listener{}, false
		}
	}
	for _, o := range s.address {
		v, ok := option(args, o)
		if o[0] != '-' {
			if v, ok = env(o); !ok {
				continue
			}
		}
		if ok && v != "" {
			l.place(o, v, s.fallback)
			break
		}
	}
	for _, o := range s.port {
		if v, ok := option(args, o); ok {
			l.Port, _ = strconv.Atoi(v) // 0 for what is not known
		}
	}
	if name == "http.server" && len(args) > 0 {
		if n, err := strconv.Atoi(args[0]); err == nil {
			l.Port = n
		}
	}
	for _, o := range s.only {
		if v, ok := option(args, o); ok && !no.MatchString(v) {
			l.Address, l.Why = here, o
		}
	}
	return l, true
}

// place takes an address from an option, which may give a port with it or alone.
func (l *Listener) place(name, value, fallback string) {
	l.Why = shownOption(name, value)
	if n, err := strconv.Atoi(value); err == nil {
		l.Port, l.Address = n, fallback
		return
	}
	switch {
	case strings.HasPrefix(value, "unix:") || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "fd://"):
		l.Address, l.Port = "", 0
		return
	case strings.HasPrefix(name, "--inspect") && net.ParseIP(hostOf(value)) == nil && !Loopback(value):
		return // the script behind an option without a value
	case strings.HasPrefix(value, ":") && digits.MatchString(value[1:]): // ":8080" names no host
		value = everywhere + value
	}
	l.Address = hostOf(value)
	if n := portOf(value); n > 0 {
		l.Port = n
	}
}

// shownOption is an option with the address that it gives; of another value, only
// the option.
func shownOption(name, value string) string {
	if net.ParseIP(hostOf(value)) == nil && value != "*" && !Loopback(value) {
		return name
	}
	if strings.HasPrefix(name, "-") {
		return name + " " + value
	}
	return name + "=" + value
}

func portOf(address string) int {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

// option returns the value of an option, attached or following; empty if it has none.
func option(args []string, name string) (value string, ok bool) {
	for i, a := range args {
		n, v, attached := strings.Cut(a, "=")
		switch {
		case n == name && attached:
			return v, true
		case a == name && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			return args[i+1], true
		case a == name:
			return "", true
		case len(name) == 2 && name[0] == '-' && name[1] != '-' && strings.HasPrefix(a, name) && !strings.HasPrefix(a, "--"):
			return strings.TrimPrefix(a[2:], "="), true
		}
	}
	return "", false
}

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

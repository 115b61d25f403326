package network

import (
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
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
	wide     []string // options that open it to all interfaces, whatever their value
}

func program(names string) *regexp.Regexp { return regexp.MustCompile(`^(` + names + `)$`) }

const (
	everywhere = "0.0.0.0"
	here       = "127.0.0.1"
	webDriver  = "a browser that WebDriver steers"
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
	{names: program(`vite`), address: []string{"--host"}, port: []string{"--port"}, fallback: here, number: 5173, wide: []string{"--host"}},
	{names: program(`mitm(proxy|dump|web)`), address: []string{"--listen-host"}, port: []string{"-p", "--listen-port"}, fallback: everywhere, number: 8080},
	{names: program(`chromedriver|msedgedriver`), service: webDriver, port: []string{"--port"}, fallback: here, number: 9515, wide: []string{"--allowed-ips", "--whitelisted-ips"}},
	{names: program(`jupyter-kernelgateway`), service: "Jupyter", address: []string{"--KernelGatewayApp.ip", "--ip", "KG_IP"}, port: []string{"--KernelGatewayApp.port", "--port"}, fallback: here, number: 8888},
	{names: program(`jupyter-(lab|notebook|server|labhub)|jupyterlab|notebook|jupyter_server`), service: "Jupyter", address: []string{"--ip", "--ServerApp.ip", "--NotebookApp.ip"}, port: []string{"--port", "--ServerApp.port", "--NotebookApp.port"}, fallback: here, number: 8888},
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
	{names: program(`(tiger|tight)?vncserver`), service: "VNC", port: []string{"-rfbport"}, number: 5901, only: []string{"-localhost"}},
	{names: program(`xrdp`), service: "a remote desktop", port: []string{"-p", "--port"}, fallback: everywhere, number: 3389},
	{names: program(`guacd`), service: "a remote desktop", address: []string{"-b"}, port: []string{"-l"}, fallback: here, number: 4822},
	{names: program(`wayvnc`), service: "a remote desktop"},
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
	case "nc", "ncat", "netcat":
		return netcat(name, args)
	case "java":
		if l, ok := jdwp(args); ok {
			return l, true
		}
		return selenium(args)
	}
	for _, s := range servers {
		if s.names.MatchString(name) {
			return s.listening(name, args, env)
		}
	}
	if starter.MatchString(name) {
		return Listener{}, false
	}
	for _, o := range common {
		if v, ok := option(args, o); ok && (Everywhere(v) || Loopback(v)) {
			return Listener{Program: name, Address: hostOf(v), Port: portOf(v), Why: shownOption(o, v)}, true
		}
	}
	return Listener{}, false
}

// starter are programs that start another one, whose options are not theirs.
var starter = program(`tini(-static)?|dumb-init|catatonit|docker-init|gosu|su-exec|setpriv|runuser|su|sudo|env|exec|nohup|timeout|chroot|s6-setuidgid|chpst|uv|poetry|pipenv|npx|(ba|da|a)?sh`)

// common are the options by which programs are told where to listen.
var common = []string{
	"--host", "--bind", "--ip", "--listen", "--address", "--bind-address", "--bind-addr", "--listen-address", "--listen-host", "--server-name",
	"--hostname", "--addr", "--listen-addr", "--bind-host", "--http-address", "--server-host", "--dashboard-host", "-addr", "-listen", "-bind",
}

// called is the program of a command line, or what a runner is told to run: a module of
// Python, a command of a project's environment. A command of Jupyter's has its own name.
func called(argv []string) (name string, args []string) {
	for range maxRunners {
		inner, runs := inside(argv)
		if !runs {
			break
		}
		argv = inner
	}
	if len(argv) == 0 {
		return "", nil
	}
	name, args = path.Base(argv[0]), argv[1:]
	if name == "jupyter" && len(args) > 0 {
		return "jupyter-" + args[0], args[1:]
	}
	if m := stackStarter.FindStringSubmatch(name); m != nil {
		return "jupyter-" + m[1], args
	}
	return name, args
}

// stackStarter are the programs by which the images of Jupyter's docker-stacks start it,
// with what they are given (their documentation, "Common features").
var stackStarter = regexp.MustCompile(`^start-(notebook|singleuser)(?:\.(?:py|sh))?$`)

// maxRunners is how many runners that run each other are looked behind.
const maxRunners = 8

var runners = regexp.MustCompile(`^(uv|poetry|pipenv|pdm|hatch|rye|pnpm|yarn|bun)$`)

// runnerOptions are the options of runners that take a value, as far as a start needs
// them.
var runnerOptions = valued("pC", "--with", "--python", "--directory", "--project", "--extra", "--group", "--env-file", "--package", "--config-file")

// inside is the command that a runner is told to run; false if it is none, or not told.
func inside(argv []string) (inner []string, runs bool) {
	if len(argv) == 0 {
		return nil, false
	}
	name, args := path.Base(argv[0]), argv[1:]
	switch {
	case strings.HasPrefix(name, "python"):
		i := slices.IndexFunc(args, func(a string) bool { return a == "-m" || !strings.HasPrefix(a, "-") })
		if i < 0 || args[i] != "-m" || i+1 == len(args) {
			return nil, false
		}
		return args[i+1:], true
	case name == "npx" || name == "bunx":
	case len(args) > 0 && (args[0] == "run" || args[0] == "exec") && runners.MatchString(name):
		args = args[1:]
	default:
		return nil, false
	}
	p := runnerOptions.Parse(shell.Known(args...), false)
	return args[len(args)-len(p.Rest):], true
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
		switch v, ok := option(args, o); {
		case ok && !no.MatchString(v):
			l.Address, l.Why = here, o
		case ok:
			l.Address, l.Why = everywhere, o+" "+v
		}
	}
	for _, o := range s.wide {
		if v, ok := option(args, o); ok && (v == "" || !slices.Contains(s.address, o)) {
			l.Address, l.Why = everywhere, o
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

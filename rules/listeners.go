package rules

import (
	"net"
	"path"
	"slices"
	"strconv"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
)

// A listener is something that listens once the container runs, and where that is
// said. The Program of a call in Python is the call.
type listener struct {
	network.Listener
	at scan.Location
}

// everywhere reports whether it listens on all interfaces; local, on this machine
// only.
func (l listener) everywhere() bool { return network.Everywhere(l.Address) }

func (l listener) local() bool { return network.Loopback(l.Address) }

// listening is what the container starts that is known to listen: calls between the
// start and the code that takes over, and programs by their command lines.
func listening(p *scan.Pass) []listener {
	l := launch.Fact.Of(p)
	var out []listener
	for _, e := range l.Bound {
		out = append(out, bound(p, e))
	}
	for _, end := range l.Outcome.Paths {
		if x, ok := network.Listening(end.Sink.Command, p.Image.Config.Getenv); ok {
			out = append(out, listener{x, atSink(p, end)})
		}
	}
	for _, s := range starts(p) {
		if x, ok := network.Listening(s.argv, p.Image.Config.Getenv); ok {
			out = append(out, configured(p, listener{x, s.at}))
		}
	}
	return distinct(out)
}

// A call is that of a program once the container runs, and where that is said.
type call struct {
	argv []string
	at   scan.Location
}

// starts are the programs that the container is known to start. A program that is not
// in what was read of the image can't be followed, but its command line says what it
// says.
func starts(p *scan.Pass) []call {
	l := launch.Fact.Of(p)
	var out []call
	followed := len(l.Argv) == 0
	for _, link := range l.Started {
		if len(link.Argv) > 0 {
			at := atCall(p, link.By)
			if slices.Equal(link.Argv, p.Image.Config.Cmd) {
				at = p.AtField("Cmd") // whoever hands it on
			}
			if !handedOn(l.Started, link) {
				out = append(out, call{link.Argv, at})
			}
			followed = followed || link.File != nil && slices.Equal(link.Argv, l.Argv)
		}
	}
	if followed {
		return out
	}
	at := p.AtField("Cmd")
	if len(p.Image.Config.Entrypoint) > 0 {
		at = p.AtField("Entrypoint")
	}
	s := commands.Parse(commands.Line(l.Argv))
	if s == nil {
		return out
	}
	for _, c := range s.Commands() {
		var argv []string
		for _, w := range c.Words {
			argv = append(argv, w.Text)
		}
		known := slices.ContainsFunc(out, func(o call) bool { return path.Base(o.argv[0]) == c.Name() })
		if c.Name() != "" && !known {
			out = append(out, call{argv, at})
		}
	}
	return out
}

// handedOn reports whether a program is a script that starts what it is given: the options
// are those of the program that this is.
func handedOn(started []launch.Link, script launch.Link) bool {
	return script.File != nil && len(script.Argv) > 1 && slices.ContainsFunc(started, func(o launch.Link) bool {
		return o.By.File == script.File && slices.Equal(o.Argv, script.Argv[1:])
	})
}

// configured is a listener whose command line does not say where it listens, by what
// its configuration says.
func configured(p *scan.Pass, l listener) listener {
	if l.Why != "by default" {
		return l
	}
	for f, list := range network.ServerConfigs.Facts(p.Image) {
		if f.Buried() || unread.MatchString(f.Path) || !network.Configures(f.Path, l.Program) {
			continue
		}
		for _, d := range list {
			if d.Port > 0 {
				l.Port = d.Port
			}
			if d.Address != "" && (l.Why == "by default" || !l.everywhere()) {
				l.Address, l.Why = d.Address, d.Text+" in "+f.Path
			}
		}
	}
	return l
}

func bound(p *scan.Pass, e effect.Effect) listener {
	host, port, err := net.SplitHostPort(e.Note)
	if err != nil {
		host = e.Note
	}
	n, _ := strconv.Atoi(port) // 0 for a port that is not known
	return listener{network.Listener{Program: e.Call, Address: host, Port: n, Why: e.Note}, atPlace(p, e.Place)}
}

// distinct leaves out what is told twice: a script is started, and so is its
// interpreter with it.
func distinct(all []listener) []listener {
	var out []listener
	seen := map[listener]bool{}
	for _, l := range all {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

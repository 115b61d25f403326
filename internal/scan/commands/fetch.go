package commands

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Fetch is code that is fetched and run in one go, so that nothing could tell
// whether it is the code that was meant.
type Fetch struct {
	By   string // the program that fetches: "curl"
	Runs string // the program that runs what comes: "bash"; of a file, the file's name
	File bool   // it is stored as a file first
	Line int    // in the script
	At   scan.Location
}

// Fetched lists what scripts fetch and run, in the order in which they run. A script
// that checks a checksum or a signature is taken to check what was fetched into files
// until then; a pipe can't be checked.
func Fetched(scripts []*Script) []Fetch {
	var out []Fetch
	files := map[string]string{} // the program that fetched it, by its name
	for _, s := range scripts {
		for _, f := range append(s.streamed(0), s.stored(files)...) {
			f.At = s.At
			out = append(out, f)
		}
	}
	return out
}

// streamed finds what is run as it comes.
func (s *Script) streamed(depth int) []Fetch {
	var out []Fetch
	s.walk(func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				out = append(out, s.piped(n)...)
			}
		case *syntax.CallExpr:
			out = append(out, s.substituted(n)...)
		}
		return true
	})
	for _, c := range s.own() {
		if inner := s.inner(c); inner != nil && depth < maxDepth {
			for _, f := range inner.streamed(depth + 1) {
				f.Line = c.Line
				out = append(out, f)
			}
		}
	}
	return out
}

// piped finds "curl URL | sh". The left side of a pipe is a pipe itself, and is met
// again by the walk.
func (s *Script) piped(p *syntax.BinaryCmd) []Fetch {
	runner := ""
	for _, c := range s.calls(p.Y) {
		if c.readsCode() {
			runner = c.Name()
		}
	}
	if by := s.fetcher(p.X); by != "" && runner != "" {
		return []Fetch{{By: by, Runs: runner, Line: int(p.Pos().Line())}}
	}
	return nil
}

// substituted finds "sh -c "$(curl URL)"", "eval "$(curl URL)"" and "bash <(curl URL)".
func (s *Script) substituted(n *syntax.CallExpr) []Fetch {
	c := s.Command(n)
	if !c.interprets() && c.Name() != "eval" && c.Name() != "source" && c.Name() != "." {
		return nil
	}
	var out []Fetch
	for _, w := range n.Args {
		syntax.Walk(w, func(x syntax.Node) bool {
			var stmts []*syntax.Stmt
			switch x := x.(type) {
			case *syntax.CmdSubst:
				stmts = x.Stmts
			case *syntax.ProcSubst:
				stmts = x.Stmts
			}
			for _, st := range stmts {
				if by := s.fetcher(st); by != "" {
					out = append(out, Fetch{By: by, Runs: c.Name(), Line: c.Line})
				}
			}
			return len(stmts) == 0
		})
	}
	return out
}

// fetcher is the program in a statement that fetches from elsewhere and prints it.
func (s *Script) fetcher(st *syntax.Stmt) string {
	for _, c := range s.calls(st) {
		if to, remote := c.fetches(); remote && (to == "-" || to == "" && c.Name() == "curl") {
			return c.Name()
		}
	}
	return ""
}

// calls are the commands of a statement that are not in a substitution.
func (s *Script) calls(st *syntax.Stmt) []Command {
	var out []Command
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.CallExpr:
			out = append(out, s.Command(n))
		}
		return true
	})
	return out
}

var (
	curlValues = values("AbcCdDeEFHKmoPQrtTuUwxXyYz", "--output", "--data", "--header", "--request", "--user", "--retry", "--retry-delay", "--connect-timeout", "--max-time", "--proto", "--tlsv", "--cacert", "--user-agent")
	wgetValues = values("aBDeIiOoPQRTtUwX", "--output-document", "--directory-prefix", "--header", "--tries", "--timeout", "--user-agent", "--secure-protocol", "--progress")
)

func values(letters string, long ...string) shell.Options {
	o := shell.Options{}
	for _, l := range letters {
		o["-"+string(l)] = "-" + string(l)
	}
	for _, l := range long {
		o[l] = l
	}
	o["--output"], o["--output-document"] = "-o", "-O"
	return o
}

// fetches says where a command stores what it fetches: a file, "-" for its output,
// empty if that is its default. remote is false if it fetches nothing from elsewhere.
func (c Command) fetches() (to string, remote bool) {
	switch c.Name() {
	case "curl":
		p := curlValues.Parse(c.Args(), true)
		u := from(p.Rest)
		switch o := p.Values["-o"]; {
		case o.Text != "":
			to = o.Text
		case p.Flags["-O"] || p.Flags["--remote-name"] || p.Flags["--remote-name-all"]:
			to = path.Base(u)
		default:
			to = c.output
		}
		return to, u != ""
	case "wget":
		p := wgetValues.Parse(c.Args(), true)
		u := from(p.Rest)
		if to = p.Values["-O"].Text; to == "" && u != "" {
			to = path.Join(p.Values["-P"].Text, path.Base(u))
		} else if to == "-" && c.output != "" {
			to = c.output
		}
		return to, u != ""
	}
	return "", false
}

var thisMachine = regexp.MustCompile(`^(https?://)?(localhost|127\.[\d.]+|\[::1\])([:/]|$)|^file:`)

// from is the address that is fetched, without its query; empty if that is on this
// machine. One that is not known is from elsewhere.
func from(operands []shell.Word) string {
	for _, w := range operands {
		if !thisMachine.MatchString(w.Text) && w.Text != "" {
			u, _, _ := strings.Cut(w.Text, "?")
			return u
		}
	}
	return ""
}

var interpreters = regexp.MustCompile(`^(sh|bash|dash|ash|zsh|ksh|fish|python[0-9.]*|perl|ruby|node|php|lua|pwsh)$`)

func (c Command) interprets() bool { return interpreters.MatchString(c.Name()) }

// readsCode reports whether a command is an interpreter that takes its program from
// its input: it is given neither code nor a file.
func (c Command) readsCode() bool {
	if !c.interprets() {
		return false
	}
	posix := shell.Is(c.Name()) || c.Name() == "zsh" || c.Name() == "ksh"
	for i := 1; i < len(c.Words); i++ {
		w := c.Words[i].Text
		switch {
		case w == "-" || w == "--" || w == "/dev/stdin" || posix && (w == "-s" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "s")):
			return true
		case posix && (w == "-o" || w == "+o" || w == "-O"):
			i++
		case posix && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c"), !posix && strings.HasPrefix(w, "-") && w != "-u" && w != "-B":
			return false
		case !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+"):
			return false
		}
	}
	return true
}

// checkers compare what was fetched with what was meant.
var checkers = regexp.MustCompile(`^(sha(1|224|256|384|512)sum|shasum|md5sum|b2sum|cksum|gpg2?|gpgv|cosign|minisign|signify|openssl|slsa-verifier|gh)$`)

// Checks reports whether the script checks a checksum or a signature.
func (s *Script) Checks() bool {
	for _, c := range s.Commands() {
		if checkers.MatchString(c.Name()) {
			return true
		}
	}
	return false
}

// stored finds files that are fetched, in this script or before it, and then run.
func (s *Script) stored(files map[string]string) []Fetch {
	if s.Checks() {
		clear(files)
		return nil
	}
	var out []Fetch
	for _, c := range s.Commands() {
		if to, remote := c.fetches(); remote && to != "" && to != "-" && !strings.ContainsAny(to, "$`") {
			files[path.Clean(to)] = c.Name()
			continue
		}
		if f := c.runs(); files[f] != "" {
			out = append(out, Fetch{By: files[f], Runs: f, File: true, Line: c.Line})
			delete(files, f)
		}
	}
	return out
}

// runs is the file that a command runs: itself, or the script of an interpreter.
func (c Command) runs() string {
	switch {
	case c.Name() == "":
		return ""
	case strings.Contains(c.Words[0].Text, "/") && !c.interprets():
		return path.Clean(c.Words[0].Text)
	case c.interprets() || c.Name() == "." || c.Name() == "source":
		for _, w := range c.Args() {
			if !strings.HasPrefix(w.Text, "-") {
				return path.Clean(w.Text)
			}
		}
	}
	return ""
}

package packages

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// An Install is a package that a RUN instruction names to a distribution's package
// manager.
type Install struct {
	Manager string // as called: "apt-get", "apk"
	Package string // without a version: "docker.io"
	Instr   *dockerfile.Instr
}

// verbs are what package managers call installing.
var verbs = map[string]string{
	"apt-get": "install", "apt": "install", "aptitude": "install", "apk": "add", "yum": "install", "dnf": "install",
	"microdnf": "install", "tdnf": "install", "zypper": "install", "pacman": "-S",
}

// installOptions take a value that is no package.
var installOptions = shell.Options{"-t": "t", "--target-release": "t", "--virtual": "v", "-X": "X", "--repository": "X", "-o": "o", "-c": "c"}

// Installs returns the packages that the commands of a build name, in their order,
// also those of commands that run under a condition only. Names that are variables
// are left out.
func Installs(b *dockerfile.Build) []Install {
	if b == nil {
		return nil
	}
	var out []Install
	for _, s := range b.Steps {
		if s.Instr.Cmd != "RUN" {
			continue
		}
		add := func(words []string) {
			for _, p := range installed(words) {
				out = append(out, Install{path.Base(words[0]), p, s.Instr})
			}
		}
		if s.Instr.Exec {
			add(s.Args)
			continue
		}
		f, err := shell.Parse(strings.Join(s.Args, " "))
		if err != nil {
			continue
		}
		syntax.Walk(f, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok {
				add(literals(c))
			}
			return true
		})
	}
	return out
}

// literals returns the words of a command; one that is not literal is empty.
func literals(c *syntax.CallExpr) []string {
	scope := &shell.Scope{Open: true, Var: func(string) ([]shell.Word, bool) { return nil, false }}
	var out []string
	for _, w := range scope.Expand(c.Args...) {
		if !w.Known {
			w.Text = ""
		}
		out = append(out, w.Text)
	}
	if len(out) > 1 && out[0] == "sudo" {
		out = out[1:]
	}
	return out
}

// installed returns the packages that a command installs.
func installed(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	verb, ok := verbs[path.Base(words[0])]
	if !ok {
		return nil
	}
	p := installOptions.Parse(shell.Known(words[1:]...), true)
	if verb == "-S" {
		if !p.Flags["-S"] {
			return nil
		}
	} else if len(p.Rest) == 0 || p.Rest[0].Text != verb {
		return nil
	} else {
		p.Rest = p.Rest[1:]
	}
	var out []string
	for _, w := range p.Rest {
		name := w.Text
		if i := strings.IndexAny(name, "=<>~"); i >= 0 {
			name = name[:i]
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// Package launch says what runs when a container starts: the entrypoint and
// command, followed through wrappers, symbolic links, "#!" lines and shell
// scripts, and whether root is given up on the way. Nothing is run: what can't be
// decided from the image is told as unknown, with the reason.
package launch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Fact is how the target's container starts.
var Fact = &scan.Derived[*Launch]{
	Name:    "launch",
	Needs:   []scan.Need{accounts.Fact, heads, scripts},
	Compute: compute,
}

// A Launch is what a runtime starts, with the image's own command, and what comes
// of it.
type Launch struct {
	// Argv is the entrypoint followed by the command, as the runtime executes
	// them (OCI image-spec, config.md, "Entrypoint", "Cmd").
	Argv []string
	// Chain is one link for each program that replaces or starts the next, as far
	// as it is the same on every path.
	Chain []Link
	// Opaque is why the chain ends where it does; empty if it ends with a drop.
	Opaque string
	// Drop says whether root is given up, for a container that starts as root.
	Drop Drop
}

// A Link is one program of a chain.
type Link struct {
	// Argv is the program as called; what is not known stands as written in the
	// script. Like every text of an image, it can hold a secret.
	Argv []string
	Path string      // of the program in the image; empty if it was not found
	File *image.File // at Path, symbolic links followed; nil if it was not found
	By   Place       // where it is called; zero for the config
}

// A Place is a line of a script.
type Place struct {
	File *image.File // nil for a command in the config
	Line int         // 1-based; in the text after -c if File is nil; 0 if none
}

func (p Place) String() string {
	switch {
	case p.File != nil:
		return fmt.Sprintf("%s:%d", p.File.Path, p.Line)
	case p.Line > 0:
		return fmt.Sprintf("line %d of the entrypoint", p.Line)
	}
	return "the entrypoint"
}

func compute(p *scan.Pass) *Launch {
	cfg := &p.Image.Config
	l := &Launch{Argv: slices.Concat(cfg.Entrypoint, cfg.Cmd)}
	if why := undefined(p, l.Argv); why != "" {
		l.Opaque, l.Drop = why, Drop{Verdict: Unknown, Default: Unknown, Reason: why}
		return l
	}
	acc := accounts.Fact.Of(p)
	sys := &system{
		lookup: p.Image.Lookup, user: acc.Resolve, env: cfg.Env, dir: cmp.Or(cfg.WorkingDir, "/"),
		exact: !p.Image.Predicted && p.Image.Complete(), base: p.Image.UnreadBase,
	}
	sys.start(l, len(cfg.Entrypoint))
	return l
}

// undefined says why what starts is not known, or that nothing does.
func undefined(p *scan.Pass, argv []string) string {
	base, b := p.Image.UnreadBase, p.Build
	switch {
	case p.Image.Config.OS == "windows":
		return "Windows images are not followed"
	case base != "" && (b == nil || b.Entrypoint == nil):
		return fmt.Sprintf("the entrypoint is for the base image %s to decide, and it was not read", base)
	case len(argv) == 0:
		return "the image names no command"
	}
	return ""
}

// start follows argv twice: over every path, whatever environment and command the
// container is started with, and with the image's own. The first words, the
// entrypoint, stay whatever command is given; without one, the command stays.
func (s *system) start(l *Launch, entrypoint int) {
	argv := shell.Known(l.Argv...)
	usual := s.trace(argv, false)
	if entrypoint > 0 {
		argv = append(argv[:entrypoint:entrypoint], shell.Word{Text: `"$@"`, Any: true})
	}
	l.Drop = combine(s.trace(argv, true), usual)
	l.Chain, l.Opaque = chain(usual)
}

// chain is what the outcomes have in common.
func chain(outcomes []outcome) (links []Link, opaque string) {
	for i, o := range outcomes {
		if i == 0 {
			links = o.links
			continue
		}
		n := 0
		for n < len(links) && n < len(o.links) && sameLink(links[n], o.links[n]) {
			n++
		}
		links = links[:n]
	}
	switch {
	case len(outcomes) == 0:
		return nil, "nothing is started"
	case len(outcomes) > 1:
		return links, fmt.Sprintf("what comes next is decided when it runs, at %s and %s", outcomes[0].at, outcomes[1].at)
	case outcomes[0].kind == dropped:
		return links, ""
	}
	return links, outcomes[0].reason
}

func sameLink(a, b Link) bool {
	return a.File == b.File && a.Path == b.Path && a.By == b.By && slices.Equal(a.Argv, b.Argv)
}

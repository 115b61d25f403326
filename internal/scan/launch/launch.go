// Package launch says what runs when a container starts: the entrypoint and
// command, followed through wrappers, supervisors, symbolic links, "#!" lines, shell
// scripts and Python, and what becomes of the process's credentials and environment
// on the way. Nothing is run: what can't be decided from the image is told as
// unknown, with the reason.
package launch

import (
	"cmp"
	"fmt"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Fact is how the target's container starts.
var Fact = &scan.Derived[*Launch]{
	Name:    "launch",
	Needs:   []scan.Need{accounts.Fact, imports.Fact, heads, scripts, services},
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

	// Outcome is what happens on every path that the image's own command can take,
	// whatever environment it is started with: the effects in order, the process in
	// which it ends and the code that may start there. Places in the text after -c
	// of the config are in the file "entrypoint".
	Outcome effect.Outcome
	// Parents are, for each path of Outcome, the programs that live on while it
	// runs, the first one first.
	Parents [][]Parent
	// Arguments are the programs, of any path or beside it, that are given the value
	// of a watched variable on their command line: an effect.Argument each. Those
	// that Python starts are among the sinks of Outcome.
	Arguments []effect.Effect
	// Bound are the sockets that programs in Python bind, of any path or beside it: an
	// effect.Bind each.
	Bound []effect.Effect
	// Default is Outcome for the environment that the image itself sets.
	Default effect.Outcome
	// Writes are what the scripts of the image's own command write on every path that was
	// followed, whatever environment it is started with, in their order.
	Writes []Write
	// NeedsRoot is the tool with which every path drops, where the container does not start
	// as root and so none gets any further; empty otherwise.
	NeedsRoot string
	// Started are the programs that are started, as whoever, on any path of the image's
	// own command or beside it, in the order in which they were met.
	Started []Link
	// Ran are the programs and scripts that are run, or read by a shell, as root,
	// in any environment and with any command, in the order in which they were met.
	Ran []Link
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
	case p.File != nil && p.Line == 0:
		return p.File.Path
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
		imports: imports.Fact.Of(p).Program, watched: slices.Clone(watched(p)), files: p.Image.Files,
	}
	if p.Image.Predicted {
		for _, i := range packages.Installs(p.Build) {
			sys.installed = append(sys.installed, i.Package)
		}
	}
	set, vague := p.Environment()
	sys.env, sys.vague = slices.Concat(sys.env, set), vague
	sys.start(l, acc.Resolve(cfg.User), len(cfg.Entrypoint))
	return l
}

func watched(p *scan.Pass) []string {
	names := p.Options.Session()
	return names[:min(len(names), maxWatched)]
}

// undefined says why what starts is not known, or that nothing does.
func undefined(p *scan.Pass, argv []string) string {
	base, b := p.Image.UnreadBase, p.Build
	switch {
	case p.Image.Config.OS == "windows":
		return "Windows images are not followed"
	case base != "" && (b == nil || b.Entrypoint == nil) && !ByCommand(p.Image):
		return fmt.Sprintf("the entrypoint is for the base image %s to decide, and it was not read", base)
	case len(argv) == 0:
		return "the image names no command"
	}
	return ""
}

// ByCommand reports whether an image starts its command, with no entrypoint before it but
// one that only executes the command. Of a base image that was not read, its documentation
// has to say so, and the Dockerfile must not bring another entrypoint in its place.
func ByCommand(img *image.Image) bool {
	c := img.Config
	if img.UnreadBase == "" || len(c.Entrypoint) > 0 {
		return len(c.Entrypoint) == 0
	}
	known, _ := dockerfile.KnownBase(img.UnreadBase)
	return known.ByCommand && len(c.Cmd) > 0 && (known.Entrypoint == "" || img.Lookup(known.Entrypoint) == nil)
}

// start follows argv over every path, whatever environment and command the
// container is started with, with the image's own command, and in the image's own
// environment. The first words, the entrypoint, stay whatever command is given;
// without one, the command stays.
func (s *system) start(l *Launch, user accounts.User, entrypoint int) {
	s.parsed, s.analyses, s.compiled = map[*image.File]*syntax.File{}, map[string]effect.Outcome{}, map[string]compiled{}
	s.matched = map[string][]*image.File{}
	uid, gid := ids(user)
	s.session = len(s.watched)
	s.bare = entrypoint == len(l.Argv)
	s.first = effect.Start(uid, gid, len(s.watched))
	if uid.Class == effect.User {
		s.first.Groups = groups(user)
	}
	argv := shell.Known(l.Argv...)
	usual, own := s.trace(argv, asImage), s.trace(argv, anyEnvironment)
	if entrypoint > 0 {
		argv = append(argv[:entrypoint:entrypoint], shell.Word{Text: `"$@"`, Any: true})
	}
	every := s.trace(argv, anyStart)
	l.Drop = combine(every.outcomes, usual.outcomes)
	l.Chain, l.Opaque = chain(usual.outcomes)
	l.Outcome, l.Default, l.Parents = own.outcome(), usual.outcome(), own.parents
	l.Arguments, l.Bound = own.onArgv, own.bound
	l.Started = own.started
	if !own.cut {
		l.Writes = own.written
	}
	if len(own.paths) == 0 && !own.cut && own.refuses == len(own.losses) {
		l.NeedsRoot = own.refused
	}
	l.Ran = ran(usual, own, every)
}

func (t *tracer) outcome() effect.Outcome {
	return effect.Outcome{Watched: t.watched, Paths: t.paths, Losses: t.losses, Late: t.late, Complete: !t.cut}
}

// ran is what any of the traces met, each once.
func ran(traces ...*tracer) (all []Link) {
	for _, t := range traces {
		for _, l := range t.ran {
			if !slices.ContainsFunc(all, func(o Link) bool { return sameLink(l, o) || l.Path != "" && l.Path == o.Path }) {
				all = append(all, l)
			}
		}
	}
	return all
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

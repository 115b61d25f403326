package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

// A descent is how a container that starts as root comes down: the paths to where
// untrusted code can start, by what is shown of them.
type descent struct {
	good   []effect.Path // root is given up for good
	weak   []effect.Path // something is given up, and it does not hold
	rooted []effect.Path // all of root is there
	unsure []effect.Path
	tried  effect.Place // where a call gives root up, on whatever path; zero if none does
}

func descend(o effect.Outcome) descent {
	var d descent
	for _, p := range o.Judged() {
		holds, why := p.Dropped()
		switch {
		case holds == effect.Yes:
			d.good = append(d.good, p)
		case holds == effect.Undecided:
			d.unsure = append(d.unsure, p)
		case why[0].Weakness == effect.NoDrop && changed(p) == (effect.Place{}):
			d.rooted = append(d.rooted, p)
		default:
			d.weak = append(d.weak, p)
		}
	}
	for _, p := range o.Paths {
		if at := changed(p); d.tried == (effect.Place{}) {
			d.tried = at
		}
	}
	return d
}

// changed is where a path last changes the uid; zero if it does not.
func changed(p effect.Path) effect.Place {
	var at effect.Place
	for _, e := range p.Past.Effects() {
		if e.Kind == effect.SetUID && !e.Failed {
			at = e.Place
		}
	}
	return at
}

// startsAsRoot reports whether the container is known to start as uid 0.
func startsAsRoot(p *scan.Pass) bool {
	return accounts.Fact.Of(p).Resolve(p.Image.Config.User).IsRoot() == accounts.Yes
}

// entry is what starts the container, in the config.
func entry(p *scan.Pass) scan.Location {
	if launch.ByCommand(p.Image) {
		return p.AtField("Cmd")
	}
	return p.AtField("Entrypoint")
}

// atCall locates a line of the launch; what is called by no file is called by the config.
func atCall(p *scan.Pass, by launch.Place) scan.Location {
	if by.File == nil {
		return entry(p)
	}
	at := p.At(by.File)
	at.Line = by.Line
	return at
}

// inConfig is what the analysis of the launch calls the text after -c in the config.
const inConfig = "entrypoint"

// atPlace locates a line of a script or module.
func atPlace(p *scan.Pass, at effect.Place) scan.Location {
	if at.File == "" || at.File == inConfig {
		return entry(p)
	}
	if f := p.Image.Lookup(at.File); f != nil {
		l := p.At(f)
		l.Line = at.Line
		return l
	}
	return scan.Location{Path: at.File, Line: at.Line}
}

// atSink locates where untrusted code starts.
func atSink(p *scan.Pass, path effect.Path) scan.Location { return atPlace(p, path.Sink.Place) }

// A teller takes the steps of a path.
type teller[T any] interface {
	Via(at scan.Location, format string, args ...any) T
	RunsAs(who string) T
}

// via tells a path step by step, each with the user as whom it happens, where that is
// known: between two changes of the uid it is not.
func via[T any](p *scan.Pass, to teller[T], o effect.Outcome, path effect.Path) {
	who, drops := beginning(p), -1
	to.Via(entry(p), "the container starts as %s", who)
	to.RunsAs(who)
	effects := path.Past.Effects()
	for i, e := range effects {
		if e.Kind == effect.SetUID && !e.Failed {
			drops = i
		}
	}
	for i, e := range effects {
		switch {
		case i == drops:
			who = identity(path.State)
		case i < drops && e.Kind == effect.SetUID && !e.Failed:
			who = ""
		}
		if e.Call == path.Sink.Call && e.Place == path.Sink.Place {
			continue // the sink says it, and as whom
		}
		if text := telling(e, o.Watched); text != "" {
			to.Via(atPlace(p, e.Place), "%s", text)
			to.RunsAs(who)
		}
	}
	to.Via(atSink(p, path), "%s, as %s", sinkText(path.Sink), identity(path.State))
	to.RunsAs(identity(path.State))
}

func beginning(p *scan.Pass) string {
	if startsAsRoot(p) {
		return "root"
	}
	return accounts.Fact.Of(p).Resolve(p.Image.Config.User).String()
}

// telling is an effect in words; empty if it is not worth a step.
func telling(e effect.Effect, watched []string) string {
	text := e.Call
	names := strings.Join(e.Variables.Names(watched), ", ")
	switch e.Kind {
	case effect.ReadVariable:
		text = "reads " + cmp.Or(names, "the environment")
	case effect.RemoveVariable:
		text = "removes " + cmp.Or(names, "variables")
	case effect.KeepVariable:
		text = fmt.Sprintf("%s does not remove %s", cmp.Or(e.Call, "this"), cmp.Or(names, "the variables"))
	case effect.AddVariable:
		text = "puts " + cmp.Or(names, "variables") + " into the environment"
	case effect.Argument:
		text = "puts the value of " + cmp.Or(names, "a variable of the session") + " on a command line"
	}
	if e.Failed {
		text += " fails"
	}
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	return text
}

func sinkText(s effect.Sink) string {
	call := cmp.Or(s.Call, "the program")
	switch s.Kind {
	case effect.EndSink:
		return "the program goes on for itself"
	case effect.CodeSink:
		return call + " runs code in this process"
	case effect.ModuleSink:
		return call + " loads a module that may be anyone's"
	case effect.HandOffSink, effect.CallSink:
		return call + " takes over"
	case effect.ServeSink:
		return call + " serves"
	case effect.SpawnSink:
		return call + " starts a process"
	}
	return call + " replaces the program"
}

// identity is as whom a process runs.
func identity(s effect.State) string {
	if s.UID.Effective.Class == effect.Root {
		return "root"
	}
	text := "uid " + s.UID.Effective.String()
	if s.UID.Effective.Name != "" {
		text = s.UID.Effective.Name
	}
	if s.UID.Real.Class == effect.Root || s.UID.Saved.Class == effect.Root {
		text += ", which can become root again"
	}
	return text
}

// reasons is why something does not hold, in words.
func reasons(why []effect.Reason) string {
	var out []string
	for _, r := range why {
		if !slices.Contains(out, r.Text) {
			out = append(out, r.Text)
		}
	}
	return strings.Join(out, "; ")
}

// lost says where the analysis of the launch lost track; empty if it did not.
func lost(l *launch.Launch) string {
	if len(l.Outcome.Losses) == 0 {
		for _, p := range l.Outcome.Judged() {
			if holds, why := p.Dropped(); holds == effect.Undecided && len(why) > 0 {
				return fmt.Sprintf("at %s: %s", p.Sink.Place, reasons(why))
			}
		}
	}
	return interrupted(l)
}

// interrupted says where the analysis did not go on, whatever it shows of the ids; empty if
// it did everywhere.
func interrupted(l *launch.Launch) string {
	switch o := l.Outcome; {
	case len(o.Losses) > 0:
		return fmt.Sprintf("track is lost at %s: %s", o.Losses[0].Place, o.Losses[0].Reason)
	case !o.Complete:
		return "not every path could be followed"
	case len(o.Paths) == 0:
		return cmp.Or(l.Opaque, "what starts is not known")
	}
	return ""
}

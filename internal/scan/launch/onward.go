package launch

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// analysed takes over what is shown of a Python program: its paths go on where c
// got to.
func (t *tracer) analysed(c *call, out effect.Outcome) {
	t.losses = append(t.losses, out.Losses...)
	t.cut = t.cut || !out.Complete
	t.late = append(t.late, out.Late...)
	for _, name := range out.Loaded {
		t.runs(Link{Path: name, File: t.lookup(name), By: c.at}, c.proc)
	}
	judged := out.Judged()
	var followed []effect.Path
	for _, p := range out.Paths {
		first := p
		past := c.proc.trail
		for _, e := range p.Past.Effects() {
			past = past.add(e)
			t.binds(e)
		}
		p.Past = past.h
		next := *c
		next.proc.state, next.proc.trail = p.State, past
		t.runsFixed(&next, p)
		next.told = c.told || !among(judged, first)
		if t.continues(&next, p) {
			followed = append(followed, first)
			continue
		}
		t.ended(&next, p)
	}
	t.told(c, out, followed)
}

// binds records a socket that is bound; once, if several paths do so in the same place.
func (t *tracer) binds(e effect.Effect) {
	if e.Kind == effect.Bind && !e.Failed && !slices.ContainsFunc(t.bound, func(o effect.Effect) bool { return o.Place == e.Place }) {
		t.bound = append(t.bound, e)
	}
}

// runsFixed records the program that Python starts or becomes as root, if it says
// which.
func (t *tracer) runsFixed(c *call, p effect.Path) {
	if p.Sink.Command == nil {
		return
	}
	if f, _ := t.find(p.Sink.Command[0], c.dir, c.vars.text("PATH", searchPath)); f != nil {
		t.runs(Link{Argv: p.Sink.Command, Path: f.Path, File: f, By: t.place(p.Sink.Place)}, c.proc)
	}
}

// continues follows a program that Python starts or becomes, if that says every word
// of it and it is one that can be followed.
func (t *tracer) continues(c *call, p effect.Path) bool {
	spawn := p.Sink.Kind == effect.SpawnSink
	if p.Sink.Command == nil || !p.Sink.EnvKnown || !spawn && p.Sink.Kind != effect.ReplaceSink || t.depth >= maxScripts {
		return false
	}
	name := p.Sink.Command[0]
	f, problem := t.find(name, c.dir, c.vars.text("PATH", searchPath))
	head, _ := heads.Of(f)
	follows := imports.IsInterpreter(name) || shell.Is(name) || strings.HasPrefix(head, "#!")
	if _, drops := changeOf(shell.Known(p.Sink.Command...)); problem != "" || !follows && !drops {
		return false
	}
	c.argv, c.at = shell.Known(p.Sink.Command...), t.place(p.Sink.Place)
	c.vars = c.vars.over(nil)
	for _, n := range t.watched {
		switch bit := t.bit(n); {
		case p.Sink.Env&bit == 0:
			delete(c.vars, n)
		case !c.vars[n].exported:
			c.vars[n] = value{words: []shell.Word{{Holds: n}}, exported: true, maybe: true}
		}
	}
	if spawn {
		c.proc = c.proc.with("python", c.at, false)
	}
	if holds, _ := p.Dropped(); holds == effect.Yes {
		here := *c
		var o outcome
		o, here.at = t.dropping(c, p)
		t.end(&here, o) // whatever comes of the program, it is not root
		c.told = true
	}
	t.depth++
	t.follow(*c)
	t.depth--
	return true
}

// place is where evidence says something is.
func (t *tracer) place(p effect.Place) Place {
	if f := t.lookup(p.File); path.IsAbs(p.File) && f != nil {
		return Place{f, p.Line}
	}
	return Place{nil, p.Line}
}

// among reports whether a path is one of some.
func among(paths []effect.Path, p effect.Path) bool {
	return slices.ContainsFunc(paths, func(q effect.Path) bool {
		return q.Past == p.Past && q.State == p.State && q.Sink.Kind == p.Sink.Kind && q.Sink.Place == p.Sink.Place
	})
}

// told records whether root is given up in a Python program, apart from the paths on
// which it starts a program that was followed.
func (t *tracer) told(c *call, out effect.Outcome, followed []effect.Path) {
	if c.told {
		return
	}
	judged := out.Judged()
	for _, p := range judged {
		if among(followed, p) {
			continue // what it starts tells
		}
		here := *c
		here.at = t.place(p.Sink.Place)
		o := outcome{kind: kept}
		holds, why := p.Dropped()
		switch holds {
		case effect.Yes:
			o, here.at = t.dropping(c, p)
		case effect.Undecided:
			o.kind = hidden
		}
		if o.kind != dropped {
			o.reason = "Python: what it does is not known"
			if len(why) > 0 {
				o.reason = fmt.Sprintf("%s: %s", p.Sink.Call, why[0].Text)
			}
		}
		t.end(&here, o)
	}
	if len(judged) == 0 || !out.Complete {
		t.end(c, outcome{kind: hidden, reason: "Python: " + reason(out)})
	}
}

// dropping is how a path ends that has given root up, and where it did.
func (t *tracer) dropping(c *call, p effect.Path) (o outcome, at Place) {
	o = outcome{kind: dropped, inside: true, loose: fromSetting(c, p)}
	o.user, o.how, at = t.dropped(c, p)
	return o, at
}

func reason(out effect.Outcome) string {
	if len(out.Losses) > 0 {
		return fmt.Sprintf("%s: %s", out.Losses[0].Place, out.Losses[0].Reason)
	}
	return "not every path could be followed"
}

// fromSetting reports whether the user that a path drops to is what a variable says that
// the image sets.
func fromSetting(c *call, p effect.Path) bool {
	for _, e := range p.Past.Effects() {
		if e.Kind != effect.Condition || e.Note != effect.ImageSetting {
			continue
		}
		uid := p.State.UID.Effective
		if text := c.vars.text(e.Call, ""); text != "" && (text == uid.Name || uid.Known && text == strconv.FormatInt(uid.Num, 10)) {
			return true
		}
	}
	return false
}

// dropped is the user that a path gave root up for, by which call and where.
func (t *tracer) dropped(c *call, p effect.Path) (u accounts.User, how string, at Place) {
	at, how = c.at, "python"
	looksUp := false
	for _, e := range p.Past.Effects() {
		looksUp = looksUp || strings.Contains(e.Call, "initgroups")
		if e.Kind == effect.SetUID && !e.Failed {
			at = t.place(e.Place)
			how, _, _ = strings.Cut(e.Call, "(")
		}
	}
	switch uid := p.State.UID.Effective; {
	case uid.Known:
		u = t.user(strconv.FormatInt(uid.Num, 10))
	case uid.Name != "":
		u = t.user(uid.Name)
	default:
		u = accounts.User{UID: -1, GID: -1}
	}
	if !looksUp {
		u.Groups = nil
	}
	if gid := p.State.GID.Effective; gid.Known {
		u.GID = int(gid.Num) // an account without an entry has no group but that which the program sets
	}
	return u, how, at
}

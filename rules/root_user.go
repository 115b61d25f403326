package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX201", Name: "root-user", Step: scan.Privilege, Level: scan.LevelError, Severity: 8.0, CWE: []int{250},
	Title:  "the container starts as root and no drop is shown",
	Kernel: true,
	Where:  scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{accounts.Fact, launch.Fact},
	Run: func(p *scan.Pass) {
		user := accounts.Fact.Of(p).Resolve(p.Image.Config.User)
		at := userAt(p)
		base, nonRoot := baseUser(p)
		switch {
		case p.Image.Config.OS == "windows":
			p.Unknownf(at, "the accounts of Windows images are not read")
		case p.Build != nil && p.Build.User != nil && !p.Build.User.Known && p.Image.Predicted:
			p.Unknownf(at, "%s", variableUser(p.Build))
		case p.Image.Config.User == "" && nonRoot:
			p.Unknownf(at, "no USER: %s is documented to run as %s, but it was not read", p.Image.UnreadBase, base)
		case p.Image.Config.User == "" && p.Image.UnreadBase != "" && base == "":
			p.Reportf(at, "no USER: whether this runs as root is for the base image %s to decide, and it was not read", p.Image.UnreadBase).As(scan.LevelNote).Mend(startsAs(p))
			p.Unknownf(at, "the base image %s decides the user", p.Image.UnreadBase)
		case user.IsRoot() == accounts.Yes:
			root(p, at, user)
		case user.IsRoot() == accounts.No:
			p.Shownf(at, "starts as %s", user)
		case user.Problem == "": // with one, no container starts: SBX204
			p.Unknownf(at, "whether %s is root can't be told: %s", user.Spec, user.Unknown)
		default:
			p.Unknownf(at, "%s", user.Problem)
		}
	},
})

var variable = regexp.MustCompile(`\$\{?(\w+)`)

// variableUser says what is missing to know a USER that is a variable without a value.
// A build argument only reaches stages that declare it (Dockerfile reference,
// "Understand how ARG and FROM interact").
func variableUser(b *dockerfile.Build) string {
	user := b.User.Value
	m := variable.FindStringSubmatch(user)
	if m == nil {
		return fmt.Sprintf("USER %s can't be expanded", user)
	}
	first, declared, global := b.File.Stages[0].From.Span.Start, false, false
	for _, a := range b.Args {
		if a.Name == m[1] {
			declared = declared || a.Instr.Span.Start > first
			global = global || a.Instr.Span.Start < first
		}
	}
	switch {
	case declared:
		return fmt.Sprintf("USER %s is a variable that only the base image or a build argument can set: give --build-arg %s", user, m[1])
	case global:
		return fmt.Sprintf("USER %s has no value here unless the base image sets one: the ARG before the first FROM does not reach a stage that does not repeat ARG %s", user, m[1])
	}
	return fmt.Sprintf("USER %s is a variable that only the base image can set: a build argument takes an ARG %s in this stage", user, m[1])
}

// userAt is where the user is set. A USER that is missing is missing from the
// last stage, whichever stage or image that one is based on.
func userAt(p *scan.Pass) scan.Location {
	at := p.AtField("User")
	if p.Build != nil && p.Image.Config.User == "" && p.Build.User == nil {
		at.Source = p.Build.Target.From.Span
	}
	return at
}

// baseUser is the documented user of a base image that was not read: its name or
// uid, "" if nothing is known, and whether that is another than root.
func baseUser(p *scan.Pass) (user string, nonRoot bool) {
	if p.Image.UnreadBase == "" {
		return "", false
	}
	b, ok := dockerfile.KnownBase(p.Image.UnreadBase)
	if !ok {
		return "", false
	}
	return b.User, b.User != "root"
}

// root judges a container that starts as uid 0 by what its entrypoint does next.
func root(p *scan.Pass, at scan.Location, user accounts.User) {
	l := launch.Fact.Of(p)
	d := l.Drop
	drop := dropAt(p, d)
	down := descend(l.Outcome)
	switch {
	case len(down.weak) > 0 || len(down.good) == 0 && len(down.rooted) > 0 && down.tried != (effect.Place{}):
		p.Unknownf(drop, "starts as root, and what gives root up does not hold: SBX202 tells why")
	case d.Verdict == launch.Shown && d.Loose:
		p.Unknownf(drop, "starts as root, then every path of the entrypoint drops with %s to a user that is decided when it starts: %s by the image's own settings", d.How, d.User)
	case d.Verdict == launch.Shown:
		p.Shownf(drop, "starts as root, then every path of the entrypoint drops to %s with %s", d.User, d.How)
	case d.Verdict == launch.Partial && d.Default == launch.Shown:
		p.Unknownf(drop, "starts as root, and drops to %s with %s on some paths only: SBX203 tells which", d.User, d.How)
	case d.Verdict == launch.Partial:
		p.Reportf(at, "%s, and the drop to %s is not on every path: %s", start(p, user), d.User, d.Reason).
			Notef(drop, "the drop, with %s", d.How)
	case down.tried != (effect.Place{}) && len(down.rooted) == 0:
		p.Unknownf(drop, "starts as root, and whether it drops could not be followed to the end: %s", lost(l))
	default:
		f := p.Reportf(at, "%s, and no drop is shown", start(p, user)).Mend(startsAs(p))
		if d.Reason != "" {
			f.Notef(drop, "%s", d.Reason)
		}
	}
}

// startsAs lets the container start as the account that the Dockerfile makes for that,
// if it makes just one, or as one that is made.
func startsAs(p *scan.Pass) *scan.Fix {
	if p.Build == nil {
		return nil
	}
	account := cmp.Or(p.Options.SandboxUser, "sandbox")
	people := accounts.Fact.Of(p).People()
	if i := slices.IndexFunc(people, func(u accounts.User) bool { return u.Name == account }); i >= 0 {
		people = people[i : i+1]
	}
	if len(people) != 1 {
		return fix.NonRoot(p.Build, "", account)
	}
	user := people[0].Name
	if u := people[0]; u.Known && u.GID >= 0 {
		user = fmt.Sprintf("%d:%d", u.UID, u.GID)
	}
	return fix.NonRoot(p.Build, user, account)
}

// dropAt is where the drop is, or what keeps it from being told: a line of a
// script, or what starts the container.
func dropAt(p *scan.Pass, d launch.Drop) scan.Location {
	if d.File != nil {
		at := p.At(d.File)
		at.Line = d.Line
		return at
	}
	return entry(p)
}

// start says how the container comes to start as root.
func start(p *scan.Pass, user accounts.User) string {
	switch {
	case user.Spec == "" && p.Image.UnreadBase != "":
		return "no USER: the container starts as root, as " + p.Image.UnreadBase + " does"
	case user.Spec == "":
		return "no USER: the container starts as root by default"
	case p.Build != nil && p.Build.User == nil:
		return "the container starts as root: USER " + user.Spec + " is inherited from the base image " + p.Build.Base
	}
	return "the container starts as root: USER " + user.Spec + account(user)
}

// account names what makes a user uid 0 that is not called so.
func account(user accounts.User) string {
	switch s := user.Source; {
	case user.Name == "root" || user.Name == "":
		return ""
	case s.File != nil:
		return fmt.Sprintf(" is uid 0 by line %d of %s", s.Line, s.File.Path)
	case s.Instr != nil:
		return fmt.Sprintf(" is made with uid 0 in line %d", s.Instr.Span.Start)
	}
	return ""
}

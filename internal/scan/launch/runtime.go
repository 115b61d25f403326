package launch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

// Runtime is who untrusted code runs as in the target's container.
var Runtime = &scan.Derived[RuntimeFact]{
	Name:    "runtime-user",
	Needs:   []scan.Need{accounts.Fact, Fact},
	Compute: runtime,
}

// A RuntimeFact is the user that untrusted code runs as: the one the container
// starts as or, if that is root, the one its entrypoint drops to.
type RuntimeFact struct {
	User  accounts.User
	Known bool // there is such a user, and it is not root
	// Assumed is true if nothing in the image says that code runs as User: it is
	// the account that the options, or convention, name.
	Assumed bool
	// Why says what User rests on or, if it is not known, what is missing.
	Why string
	At  scan.Location
}

// conventional is the account that runs untrusted code if the options name none.
const conventional = "sandbox"

// RuntimeUser returns the user that untrusted code runs as; ok is false if it is not
// known, or only root. A rule that calls it needs Runtime.
func RuntimeUser(p *scan.Pass) (u accounts.User, ok bool) {
	r := Runtime.Of(p)
	return r.User, r.Known
}

func runtime(p *scan.Pass) RuntimeFact {
	acc := accounts.Fact.Of(p)
	at := p.AtField("User")
	if name := p.Options.SandboxUser; name != "" {
		if u := acc.Resolve(name); u.Exists && u.IsRoot() != accounts.Yes {
			return RuntimeFact{User: u, Known: true, Why: fmt.Sprintf("%s is said to run untrusted code", u), At: u.Source.At(p)}
		}
	}
	start := acc.Resolve(p.Image.Config.User)
	inherited := p.Image.Config.User == "" && p.Image.UnreadBase != ""
	switch {
	case p.Image.NoConfig, inherited, p.Build != nil && p.Image.Predicted && p.Build.User != nil && !p.Build.User.Known:
	case start.IsRoot() == accounts.No:
		return RuntimeFact{User: start, Known: true, Why: fmt.Sprintf("the container starts as %s", start), At: at}
	case start.IsRoot() == accounts.Unknown && start.Name != "":
		return RuntimeFact{User: start, Known: true, Why: fmt.Sprintf("the container starts as %s", start), At: at}
	}
	if d := Fact.Of(p).Drop; d.How != "" && d.User.IsRoot() == accounts.No && (start.IsRoot() == accounts.Yes || inherited) {
		if d.File != nil {
			at = p.At(d.File)
			at.Line = d.Line
		}
		return RuntimeFact{User: droppedUser(d), Known: true, Why: fmt.Sprintf("%s drops to %s", d.How, d.User), At: at}
	}
	return assumed(p, acc, start, at)
}

// droppedUser is the user of a drop with the groups that the tool leaves.
func droppedUser(d Drop) accounts.User {
	u := d.User
	if d.How == "setpriv" && slices.Contains(d.Args, "--clear-groups") {
		u.Groups = nil
	}
	return u
}

// assumed falls back to the account that is there to run untrusted code.
func assumed(p *scan.Pass, acc *accounts.Accounts, start accounts.User, at scan.Location) RuntimeFact {
	if u := acc.Resolve(cmp.Or(p.Options.SandboxUser, conventional)); u.Problem == "" && u.Unknown == "" && u.IsRoot() != accounts.Yes && (u.Exists || u.Known) {
		why := fmt.Sprintf("the image does not say who runs untrusted code; %s is assumed to", u)
		return RuntimeFact{User: u, Known: true, Assumed: true, Why: why, At: u.Source.At(p)}
	}
	r := RuntimeFact{User: start, At: at, Why: "who runs untrusted code is not known: name it with --sandbox-user"}
	switch {
	case p.Image.NoConfig:
		r.Why = "a directory has no config that says who runs untrusted code: name the user with --sandbox-user"
	case start.Problem != "":
		r.Why = start.Problem
	case start.IsRoot() == accounts.Yes && p.Image.UnreadBase == "":
		r.Why = "the container runs as root and nothing shows another user: name the one that runs untrusted code with --sandbox-user"
	}
	return r
}

package accounts

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A User is what a runtime makes of a user as a config or a Dockerfile names it.
type User struct {
	Spec string // as written: "", "app", "1000:1000", "app:staff"

	Known    bool // UID is known
	UID, GID int  // -1 if unknown

	// Problem is why no runtime starts a container with this user; empty if one
	// does, or if that is not known.
	Problem string
	// Unknown is what is missing to resolve Spec; empty if it was resolved, or has
	// a Problem. An account that a Dockerfile makes without saying its uid is
	// resolved, although the uid is not known.
	Unknown string

	// Exists is true if an account of that name or uid is known. False says that
	// there is none only if the list of accounts is whole: see Accounts.Unknown.
	Exists bool
	Name   string // of the account; empty if none is known. One that is only asked for counts where accounts are missing
	Home   string // as the account says
	Source Source // where the account was found; zero if it was not
	// Groups are the supplementary groups. A spec that names a group has none.
	Groups []Group

	never0 bool // the uid is not known, but it is not 0
}

// A Group is a group a user is in.
type Group struct {
	Name   string
	GID    int // -1 if unknown
	Source Source
}

// A Source is where an account or group was found: a line of a file of the image,
// or an instruction of the Dockerfile that makes it.
type Source struct {
	File  *image.File // which says the path and the layer; nil for an instruction
	Line  int         // in File, 1-based
	Text  string      // of the line, without what its password field holds
	Instr *dockerfile.Instr
	Step  int // of the history, plus one; 0 if it is none

	unsure bool // Instr may not make it
}

// An Answer is yes or no, where that is known.
type Answer uint8

// The answers.
const (
	Unknown Answer = iota
	No
	Yes
)

func (a Answer) String() string { return [...]string{"unknown", "no", "yes"}[a] }

// IsRoot reports whether the user is uid 0, by whatever name.
func (u User) IsRoot() Answer {
	switch {
	case u.Known && u.UID == 0:
		return Yes
	case u.Known, u.never0:
		return No
	}
	return Unknown
}

// String names the user for a message: "app (uid 1000)".
func (u User) String() string {
	switch {
	case u.Name == "" && u.Known:
		return fmt.Sprintf("uid %d", u.UID)
	case u.Name == "":
		return u.Spec
	case u.Known:
		return fmt.Sprintf("%s (uid %d)", u.Name, u.UID)
	}
	return u.Name
}

// At locates a source for a finding.
func (s Source) At(p *scan.Pass) scan.Location {
	switch {
	case s.File != nil:
		at := p.At(s.File)
		at.Line = s.Line
		return at
	case s.Instr != nil:
		return p.AtInstr(s.Instr)
	case s.Step > 0:
		return p.AtStep(s.Step - 1)
	}
	return scan.Location{}
}

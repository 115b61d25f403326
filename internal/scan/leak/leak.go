// Package leak finds where credentials lie in an image: in its config and history,
// and in the files of every layer, those that later layers hide among them.
//
// What it keeps of a credential is what may be shown: its kind, its length, where it
// lies, and a keyed hash that tells equal ones. No value leaves the functions that
// read it.
package leak

import (
	"cmp"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// A Credential is what is kept of one.
type Credential struct {
	Kind       string // "GitHub token"
	Reason     string // why it is one, in half a sentence
	Shown      string // what may be shown of its value: "40 characters, ghp_…"
	Name       string // of the variable, option, field or member that holds it; empty if none does
	Store      string // what its file is for, if it is one for credentials: "npm's credentials"; else empty
	Member     string // of the archive that holds it; empty if it is in none
	Confidence secret.Confidence
	Form       bool // its form tells, whatever its name
	Default    bool // it is a well-known default, and no leaked secret
	Line       int  // 1-based; 0 if its file has no lines
	value      digest
}

// Where is the kind of place that a credential lies in. The zero Where is none.
type Where uint8

// The kinds of place, that which a reader should mend first before the others.
const (
	InEnv Where = iota + 1
	InBuildArg
	InInstruction
	InFile
	InBytecode
	InLowerLayer
)

// A Place is where a credential lies.
type Place struct {
	Where Where
	At    scan.Location
	Past  bool   // a variable had it before a later ENV gave it another value
	ID    string // of the value under the user's key; empty without one
	Credential
}

// A Leak is one credential with all the places where its value lies, the first of
// them that which a finding is about. There is at least one.
type Leak []Place

// Leaks are the credentials of a target.
type Leaks struct {
	// Defaults are where well-known default passwords and tokens are set.
	Defaults []Place
	// Placeholders are keys that a package made so that a server can start before it
	// has one of its own.
	Placeholders []Place

	all   []Leak
	files map[*image.File]bool
}

// Fact is the credentials of the target.
var Fact = &scan.Derived[*Leaks]{
	Name:  "leaks",
	Needs: []scan.Need{searched, stored, archived, compiled, packages.Fact, python.Fact},
	Compute: func(p *scan.Pass) *Leaks {
		c := collector{Pass: p, Leaks: &Leaks{files: map[*image.File]bool{}}, owners: packages.Fact.Of(p), inv: python.Fact.Of(p)}
		c.config()
		c.history()
		c.content()
		c.all = group(c.found)
		return c.Leaks
	},
}

// In returns the credentials whose first place is of the given kind.
func (l *Leaks) In(w Where) []Leak {
	var out []Leak
	for _, x := range l.all {
		if x[0].Where == w {
			out = append(out, x)
		}
	}
	return out
}

// Holds reports whether a credential was found in f.
func (l *Leaks) Holds(f *image.File) bool { return l.files[f] }

// group puts the places of equal values together.
func group(places []Place) []Leak {
	var out []Leak
	at := map[digest]int{}
	for _, p := range places {
		i, ok := at[p.value]
		if !ok {
			i = len(out)
			at[p.value] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	for i, l := range out {
		slices.SortStableFunc(l, func(a, b Place) int { return cmp.Compare(a.Where, b.Where) })
		out[i] = distinct(l)
	}
	return out
}

// distinct leaves out what is no other place for a reader: a second record of the same
// instruction, or another line of the same file.
func distinct(l Leak) Leak {
	type key struct {
		file          *image.File
		member, field string
		step          int
		source        dockerfile.Span
	}
	seen := map[key]bool{}
	settings := map[dockerfile.Span]bool{} // instructions of which the config's field is a place
	var out Leak
	for _, p := range l {
		k := key{p.At.File, p.Member, p.At.Field, 0, dockerfile.Span{}}
		switch {
		case p.At.File != nil:
		case p.At.Field != "":
			settings[p.At.Source] = true
		case !p.At.Source.IsZero() && settings[p.At.Source]:
			continue
		default:
			k.step, k.source = p.At.Step, p.At.Source
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, p)
		}
	}
	return out
}

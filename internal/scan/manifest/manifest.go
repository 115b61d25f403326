// Package manifest reads how a sandbox is run: compose files and Kubernetes
// manifests become one model, so that what is wrong is said once for both. It
// promises to keep the file, line and column of every setting, to tell a setting
// that is not known from one that is not there, to read nothing outside of the
// project's folder, and to end within its limits on any input. It starts nothing and
// uses no network.
//
// What a compose file means, compose's own library says: the variables in a text, an
// .env file, the long form of a short one, which items of two lists are the same. Files,
// places and what is not known stay here: the library opens what include and extends
// name by itself, has no places, takes a missing variable for empty, makes one port of
// each number in a range, and stops at the first mistake of a project.
package manifest

import (
	"iter"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Manifest is what was read together: one compose project, or all Kubernetes
// objects that were given.
type Manifest struct {
	Kind      Kind
	Files     []File
	Workloads []*Workload // in the order of the files
	Problems  []Problem
	Absent    []string // names of Options.Sandbox that no workload has
	// Parts are the files, as Place.File has them, that the project includes, and those
	// of no project by their name that it extends.
	Parts []string
}

// Sandboxes are the workloads that run untrusted code.
func (m *Manifest) Sandboxes() []*Workload {
	var out []*Workload
	for _, w := range m.Workloads {
		if w.Role == Sandbox {
			out = append(out, w)
		}
	}
	return out
}

// Sandboxed are the containers that run untrusted code, each with its workload.
func (m *Manifest) Sandboxed() iter.Seq2[*Workload, *Container] {
	return func(yield func(*Workload, *Container) bool) {
		for _, w := range m.Sandboxes() {
			for _, c := range w.Sandboxed() {
				if !yield(w, c) {
					return
				}
			}
		}
	}
}

// Kind is the language of a manifest.
type Kind uint8

// The languages.
const (
	Compose Kind = iota + 1
	Kubernetes
)

func (k Kind) String() string { return [...]string{"", "compose", "kubernetes"}[k] }

// A File is one file of a manifest.
type File struct {
	Name string // as Place.File has it
	Text []byte
}

// A Place is where something stands in a manifest.
type Place struct {
	File      string // as the user named it, or next to what the user named
	Line      int    // 1-based; 0 if unknown
	Column    int    // 1-based, in UTF-16 code units as editors count; 0 if unknown
	EndLine   int    // last line
	EndColumn int    // behind the last character, on EndLine; 0 if unknown
	Field     string // the path of the setting: "services.agent.privileged"
}

// A Problem is something of a manifest that could not be understood, or a remark.
type Problem struct {
	At    Place
	What  string
	Hint  string // what the user can do; may be empty
	Fatal bool   // something that was to be judged was not
}

// A Setting is what a manifest says, or does not say, about one thing.
type Setting struct {
	Value   string
	Given   bool
	Unknown string // why Value is not known: "the variable X has no value here"; empty if it is known
	At      Place  // of the value; where it is not given, of what would hold it

	text bool // it stands for itself, and not in a list
}

// True reports whether the setting is known to be on.
func (s Setting) True() bool { return s.Given && s.Unknown == "" && isTrue(s.Value) }

// False reports whether the setting is known to be off because the manifest says so.
func (s Setting) False() bool { return s.Given && s.Unknown == "" && isFalse(s.Value) }

// Known reports whether the manifest gives the setting a value that is known.
func (s Setting) Known() bool { return s.Given && s.Unknown == "" }

func isTrue(s string) bool {
	switch s {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return true
	}
	return false
}

func isFalse(s string) bool {
	switch s {
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return true
	}
	return false
}

// Options say how to read manifests.
type Options struct {
	Limits limits.Limits
	// Root is the folder outside of which nothing is read; empty for that of the
	// first file.
	Root string
	// As is what Root is called in places; empty for its own name.
	As string
	// Sandbox names the workloads that run untrusted code; empty to tell them apart.
	Sandbox []string
	// Usual does so if Sandbox is empty, and only in a manifest that has one of them: a
	// project has more manifests than one.
	Usual []string
}

// Package trace interprets a Python program abstractly, from its intermediate representation, and tells what it does to its credentials and
// to its environment before untrusted code starts.
//
// It promises never to show a program as better than it is: a condition that it can't decide is followed both ways, a call that can fail is
// followed both ways, and where something is not understood the paths behind it are marked as lost, with place and reason. It ends within
// its budget on any input, and the same input gives the same outcome.
package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// Origin says whose code a module is.
type Origin uint8

// The origins.
const (
	NotKnown        Origin = iota // it can't be told whether the module exists or whose it is
	FirstParty                    // the framework's own: followed
	StandardLibrary               // modelled
	ThirdParty                    // installed; not followed
	Absent                        // importing it raises ModuleNotFoundError
)

// Found is what is known of a module.
type Found struct {
	Origin  Origin
	Module  *ir.Module // of a FirstParty module; nil if it could not be read, for which Reason says why. Must have passed ir.Validate
	Package bool       // has submodules (is an __init__)
	Reason  string     // why Module is nil
}

// Modules finds modules as the interpreter would: by absolute name, "pkg.mod".
type Modules interface {
	Find(name string) Found
}

// Extensible are Modules whose search path the program can change.
type Extensible interface {
	// Extend puts a directory before all others, or behind them, for the modules that were not found yet.
	Extend(dir string, first bool)
}

// Options are what is known of the surroundings.
type Options struct {
	Watched []string // names of the variables to watch, 64 at most
	Name    string   // of the entry module: __main__ if empty
	Package string   // its package, if it is run by -m: what relative imports start from

	Before []string // names of modules that the interpreter imports before the entry module

	Executable string // path of the interpreter, sys.executable; empty if not known

	Env      map[string]string                              // values of the image's environment, those that are known
	User     func(name string) (uid, gid int64, known bool) // accounts of the image; nil if not known
	Group    func(name string) (gid int64, known bool)      // groups of the image; nil if not known
	Members  func(name string) (groups []int64, known bool) // the groups that list a user; nil if not known
	Steps    int                                            // budget in instructions; 0 for the default
	MaxPaths int                                            // budget of paths to sinks; 0 for the default
}

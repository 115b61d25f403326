// Package scan is the kernel: it defines what a rule is and runs rules over one
// target. It knows no rule and no format.
package scan

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// A Rule is one thing the auditor knows how to notice. It is a value: it can be
// listed, validated and documented.
type Rule struct {
	ID        string    // stable and opaque: "SBX201"
	Name      string    // stable and readable: "root-user"
	Title     string    // one line, no capital, no period
	Many      string    // how several findings of one instruction read together, with %d for their number; optional
	Each      bool      // such findings keep the message of each as a note, as they differ in more than their places
	Step      Step      // of the checklist
	Level     Level     // default
	Severity  float64   // SARIF security-severity: 9.5, 8.0, 5.5 or 2.0
	Precision Precision // how often a finding is right
	CWE       []int
	Where     Where       // what kinds of target it can judge
	Config    bool        // it judges the image config; without one the answer is unknown
	Last      bool        // it judges what the user wrote about findings, when all are known: see Review
	Kernel    bool        // what it finds is held by a kernel of the sandbox's own: a note at isolation tiers that have one
	Needs     []Need      // probes and derived facts; nil if headers are enough
	Run       func(*Pass) // pure: reads the Pass, reports; no I/O, no error
}

// A Need is a *image.Probe or a *Derived, by pointer.
type Need interface {
	ID() string // "passwd@1"
}

// Step is the part of the checklist a rule belongs to.
type Step uint8

// The steps, in the order of the checklist; the last three have no verdict.
const (
	Bytecode Step = iota + 1
	Privilege
	Environment
	Network
	Runtime
	Supply
	Audit
)

func (s Step) String() string {
	return [...]string{"", "bytecode", "privilege", "environment", "network", "runtime", "supply", "audit"}[s]
}

// Level is how much a finding matters, in SARIF's words.
type Level uint8

// The levels, least first.
const (
	LevelNote Level = iota + 1
	LevelWarning
	LevelError
)

func (l Level) String() string { return [...]string{"none", "note", "warning", "error"}[l] }

// Precision is how often a rule's findings are right, in SARIF's words.
type Precision uint8

// The precisions, best first. The zero Precision is very high: a rule that
// guesses must say so.
const (
	VeryHigh Precision = iota
	High
	Medium
	Low
)

func (p Precision) String() string {
	return [...]string{"very-high", "high", "medium", "low"}[p]
}

// Where is the set of target kinds a rule can judge.
type Where uint8

// The kinds of target.
const (
	InImage Where = 1 << iota
	InDockerfile
	InManifest
)

// A Target is what to audit, already read.
type Target struct {
	Name   string // as the user typed it
	Kind   string // "dockerfile", or the kind of image.Source
	Digest string // of the image; empty for a Dockerfile
	Image  *image.Image
	// Build is the evaluated Dockerfile, nil if none is known. With
	// Image.Predicted it is where the image came from, else it serves to trace
	// findings to lines.
	Build *dockerfile.Build
	// Made are the instructions of Build that made the layers, as the image's
	// provenance says: one per layer, nil where it does not; see Attested.
	Made []*dockerfile.Instr
	// Ignore is where entries can be added to what keeps files out of the build
	// context; zero if there is no context.
	Ignore dockerfile.IgnoreEnd

	// Manifest says how the target is run, and Workload is which of its workloads it
	// is; nil if neither is known.
	Manifest *manifest.Manifest
	Workload *manifest.Workload
	// Containers are those of Workload that are judged: the one that runs the image, or
	// all that run untrusted code if no image is given. Match says why the image is taken
	// for that of the container; empty without one.
	Containers []*manifest.Container
	Match      string
	Isolation  manifest.Tier // what holds it at least, as the user says
	NoImage    bool          // only the manifest is given: Image is empty and says nothing

	set map[string]manifest.Place // fields of the config that the manifest sets
}

// A Finding is a rule's verdict about one place.
type Finding struct {
	Rule    *Rule
	Level   Level
	Message string // one sentence that stands without its location; names the thing and why it matters
	At      Location
	Notes   []Note     // the rest of the story, in order
	Flow    []Note     // what happens when the container runs, in order, up to what is found; nil if that is not the point
	Places  []Location // all places, if several findings of one instruction were merged into this one; else nil
	Fix     *Fix       // what mends it; nil if nothing certain does
	Values  []string   // keyed identities of the secrets it is about, see Options.Identify; nil without a key
	Ignored *Ignore    // why it is not told as a finding; nil if it is one
	Lowered bool       // it is a note by the user's levels or by the isolation tier, and was more: nothing is shown by that
}

// A Note is one step of a finding's story.
type Note struct {
	At      Location
	Message string
	As      string // of a step of a flow, as whom the process then runs: "root", or another; empty if that is not told
}

// Notef adds a step to the finding's story.
func (f *Finding) Notef(at Location, format string, args ...any) *Finding {
	f.Notes = append(f.Notes, Note{At: at, Message: fmt.Sprintf(format, args...)})
	return f
}

// Via adds a step to what happens, on the way to what is found.
func (f *Finding) Via(at Location, format string, args ...any) *Finding {
	f.Flow = append(f.Flow, Note{At: at, Message: fmt.Sprintf(format, args...)})
	return f
}

// RunsAs says as whom the process runs at the step that Via added last.
func (f *Finding) RunsAs(who string) *Finding { runsAs(f.Flow, who); return f }

func runsAs(flow []Note, who string) {
	if last := len(flow) - 1; last >= 0 {
		flow[last].As = who
	}
}

// As sets the level of this one finding, where it differs from the rule's default.
func (f *Finding) As(l Level) *Finding { f.Level = l; return f }

// A Location says where something is, in as many worlds as are known: the
// Dockerfile, the layer, the path inside the image. The zero Location is the
// target as a whole.
type Location struct {
	Source   dockerfile.Span  // zero if unknown
	Focus    dockerfile.Range // the part of Source that matters: a flag, a pair, a word; zero if that is all of it or unknown
	Layer    *image.Layer     // nil if none
	Step     int              // index into Image.Steps plus one; 0 if none or unknown
	File     *image.File      // nil if none: its state says whether a container sees it
	Path     string           // in the image; empty if none
	Line     int              // within Path, 1-based; 0 if none
	Manifest bool             // Source is in a manifest, and Field is the path of a setting there
	Field    string           // part of the config concerned: "User", "Env.API_KEY"; empty if none
}

// A Claim is one sentence of evidence that a rule contributes to the verdict of
// its step where it has no finding to report.
type Claim struct {
	Rule  *Rule
	Shown bool // true: shown to be good; false: not decidable from what was given
	At    Location
	Text  string // what was shown and by which fact, or what is missing and how to give it
	Flow  []Note // what happens when the container runs, in order, as far as it decides; nil if that is not the point
}

// Via adds a step to what happens, on the way to what is claimed.
func (c *Claim) Via(at Location, format string, args ...any) *Claim {
	c.Flow = append(c.Flow, Note{At: at, Message: fmt.Sprintf(format, args...)})
	return c
}

// RunsAs says as whom the process runs at the step that Via added last.
func (c *Claim) RunsAs(who string) *Claim { runsAs(c.Flow, who); return c }

// A Result is everything a run learned about one target, including what it could
// not do.
type Result struct {
	Target   Target
	Rules    []*Rule
	Findings []*Finding // by step, level (worst first) and location; one per rule, instruction and fate
	Ignored  []*Finding // those that are accepted or old, in the same order; none of them is among Findings
	Disabled []Disabled // rules that the user turned off; none of them is among Rules
	Claims   []Claim
	Broken   []Broken   // rules that failed; the others still count
	Unlisted []Unlisted // findings over the limit per rule
}

// Unlisted counts the findings of a rule that are over the limit.
type Unlisted struct {
	Rule *Rule
	N    int
}

// Broken is a rule that failed on this target.
type Broken struct {
	Rule *Rule
	Err  error
}

// Complete reports whether all that was to be audited was audited.
func (r *Result) Complete() bool {
	return len(r.Broken) == 0 && len(r.Unlisted) == 0 && r.Target.Image.Complete() && len(r.Target.Unread()) == 0 && len(r.Target.Unjudged()) == 0
}

// Unread returns the instructions of a Dockerfile under audit that could not be
// understood. Beside a real image a Dockerfile only serves to find lines.
func (t *Target) Unread() []dockerfile.Problem {
	if t.Build == nil || !t.Image.Predicted {
		return nil
	}
	var out []dockerfile.Problem
	for _, p := range t.Build.File.Problems {
		if p.Fatal {
			out = append(out, p)
		}
	}
	return out
}

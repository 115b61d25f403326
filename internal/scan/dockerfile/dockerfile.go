// Package dockerfile reads a Dockerfile the way BuildKit does: instructions that
// remember their lines, stages, the scope and expansion of ARG and ENV, and what
// the target stage would put into an image. It also traces the history of an
// image that was built back to the instructions. It knows no image and no rule.
package dockerfile

import "fmt"

// A File is a parsed Dockerfile.
type File struct {
	Path     string
	Globals  []*Instr // ARGs before the first FROM
	Stages   []*Stage
	Problems []Problem
}

// A Stage is one FROM and what follows it.
type Stage struct {
	Index  int
	Name   string // after AS, lower case; empty if none
	Base   string // as written
	Instrs []*Instr
}

// An Instr is one instruction.
type Instr struct {
	Cmd      string   // upper case: "RUN"
	Args     []string // words, unexpanded; for ENV, ARG and LABEL alternating name, value where there is one
	Flags    []string // "--from=build", as written
	Exec     bool     // arguments were given as a JSON array
	Heredocs []Heredoc
	Text     string // as written, with continuation lines
	Comments []string
	Span     Span
	Stage    *Stage // nil for an ARG before the first FROM
}

// A Heredoc is the body of one << redirection of a RUN, COPY or ADD.
type Heredoc struct {
	Name   string
	Body   string
	Expand bool // the tag was not quoted
	Line   int  // of the body's first line
}

// A Span is a range of whole lines, 1-based, in a Dockerfile.
type Span struct {
	Path       string
	Start, End int
}

// IsZero reports whether the span is unknown.
func (s Span) IsZero() bool { return s.Start == 0 }

func (s Span) String() string { return fmt.Sprintf("%s:%d", s.Path, s.Start) }

// A Problem is a part of a Dockerfile that could not be understood. The rest is
// still judged.
type Problem struct {
	Span Span
	What string // one clause
	Hint string
	// Fatal means the instruction was not judged, so the audit is incomplete;
	// otherwise the problem is only worth a remark.
	Fatal bool
}

// A Build is one target stage, evaluated: what its instructions and those of the
// stages it is based on say, with variables expanded.
type Build struct {
	File   *File
	Target *Stage
	// Base is the external image at the root of the chain, expanded; "scratch"
	// stands for none. BaseKnown is false if a variable in it has no value.
	Base      string
	BaseKnown bool
	From      *Instr  // the FROM of Base
	Steps     []*Step // instructions of the whole chain, root stage first, FROMs left out

	// What the instructions leave in the image config, last one wins as in BuildKit.
	User       *Setting // nil if no instruction sets it
	WorkingDir *Setting
	Entrypoint *Command // nil if no instruction sets it
	Cmd        *Command
	Health     *Command
	Shell      *Command
	Env        []Setting // one per name, in the order of first definition, last value
	Args       []Setting // every ARG of the chain and the globals, with its default or the given value
	Labels     []Setting
	Expose     []Setting // Name is the word as written, Value the expanded "port/proto" or range
	Volumes    []Setting
	OnBuild    []Setting // Value is the trigger
	Unused     []*Stage  // stages the target does not need, directly or through COPY --from
}

// A Setting is a named value and the instruction that gave it.
type Setting struct {
	Name  string
	Value string // expanded as far as it is known
	Known bool   // every variable in it had a value
	Instr *Instr
}

// A Command is an ENTRYPOINT, CMD, SHELL or HEALTHCHECK.
type Command struct {
	Args  []string // exec form: the words; shell form: the single command text
	Exec  bool
	Instr *Instr
}

// A Step is one instruction of the chain with what is in force when it runs.
type Step struct {
	Instr *Instr
	Args  []string // expanded where BuildKit expands
	Known bool     // every variable in Args had a value
	Env   map[string]string
	User  string
	Dir   string // working directory, absolute; empty if the base decides
	Shell []string
}

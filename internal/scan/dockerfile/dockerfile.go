// Package dockerfile reads a Dockerfile the way BuildKit does: instructions that
// remember their lines, stages, the scope and expansion of ARG and ENV, and what
// the target stage would put into an image. It also traces the history of an
// image that was built back to the instructions. It knows no image and no rule.
//
// Its cost is bounded by limits.Limits on any input, and no text of an
// instruction, which may hold a secret, gets into its errors and problems.
package dockerfile

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A File is a parsed Dockerfile.
type File struct {
	Path     string
	Globals  []*Instr // ARGs before the first FROM
	Stages   []*Stage // never empty
	Problems []Problem
	Comments []Comment

	escape rune // what continues a line and escapes a character
	lim    limits.Limits
}

// A Stage is one FROM and what follows it.
type Stage struct {
	Index  int
	Name   string   // after AS, lower case; empty if none
	Base   string   // as written; empty if the FROM could not be understood
	From   *Instr   // the FROM itself
	Instrs []*Instr // what follows it
}

// String names the stage as a reader would: by its name, else by its number.
func (s *Stage) String() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprint(s.Index)
}

// An Instr is one instruction.
type Instr struct {
	Cmd string // upper case: "RUN"
	// Args are the words, unexpanded and without flags. ENV and LABEL have
	// "name=value" words, in whichever way they were written; ARG has "name" or
	// "name=value". The shell form of RUN, CMD and ENTRYPOINT is one word.
	// HEALTHCHECK starts with CMD or NONE; ONBUILD has the words of its trigger.
	Args     []string
	Flags    []string // "--from=build"
	Exec     bool     // arguments were given as a JSON array
	Heredocs []Heredoc
	Text     string   // the lines as written, comments and heredocs included
	Comments []string // of the lines before it
	Span     Span
	Stage    *Stage // nil for an ARG before the first FROM
	Trigger  *Instr // what an ONBUILD does in a build on top of this one; nil if it could not be understood

	line string // one line: continuations joined, comments and heredocs left out
	form any    // from BuildKit's instructions package; nil if it could not be understood
}

// A Heredoc is the body of one << redirection of a RUN, COPY or ADD.
type Heredoc struct {
	Name   string
	Body   string // without the leading tabs that <<- removes
	Expand bool   // the tag was not quoted
	Line   int    // of the body's first line
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
	// Ambiguous means that other readers may take the file for another one.
	Ambiguous bool
}

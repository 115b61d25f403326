// Package source compiles Python sources into the canonical program of package ir.
//
// It understands the grammar of Python 3.6 to 3.14 (Python reference, 10, "Full
// grammar specification"). It promises that a program has the meaning of its source,
// or says where it has not: a file that is not such a source is refused as a whole
// with the line, and a statement that can't be expressed becomes an unknown
// operation, after which nothing is known. Nothing is executed. Size, tokens and
// nesting are bounded by Limits.
package source

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// Options say how a source is compiled.
type Options struct {
	Limits    Limits
	Optimized bool // as with -O or PYTHONOPTIMIZE: assertions are left out, __debug__ is false
}

// Compile returns the program of the source data; file is what it is called in
// evidence. The program has passed ir.Validate. An error of type *Error says on which
// line the source is not understood, which means that nothing is known of what it
// does: an interpreter may refuse it as a whole, or take it.
func Compile(file string, data []byte, o Options) (*ir.Module, error) {
	if len(data) > o.Limits.Bytes {
		return nil, refuse(1, "begins a source of more than %d bytes", o.Limits.Bytes)
	}
	text, err := decode(data)
	if err != nil {
		return nil, err
	}
	body, err := parse(text, o.Limits)
	if err != nil {
		return nil, err
	}
	code, err := compile(body, o)
	if err != nil {
		return nil, err
	}
	if err := ir.Validate(code); err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	return &ir.Module{File: file, Code: code}, nil
}

// Limits bound what one source may cost.
type Limits struct {
	Bytes  int // of the file
	Tokens int // of the file
	Depth  int // of nested expressions, blocks and f-strings, and of chains such as a.b.c or a + b + c
}

// DefaultLimits are well above what real sources need, and above what CPython
// itself takes for the nesting of brackets and blocks.
func DefaultLimits() Limits { return Limits{Bytes: 8 << 20, Tokens: 2 << 20, Depth: 2000} }

// An Error says why a source is refused.
type Error struct {
	Line   int
	Reason string // a predicate, such as "is not UTF-8"
}

func (e *Error) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

func refuse(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

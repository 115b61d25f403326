// Package lift translates the bytecode of CPython 3.8 to 3.15 into the canonical
// program of package ir. What one version does differently from another ends here.
//
// It promises that the program does what the interpreter would do, or says Lost: no
// instruction gets a meaning that it does not have. It ends on any input, within the
// Limits, without a panic.
package lift

import (
	"errors"
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// Limits bound what is translated of one file.
type Limits struct {
	Code         int // bytes of instructions and tables, of all code objects together
	Instructions int // of the canonical program
	Constants    int // and variables, of all code objects together; constants in one another counted too
	Nesting      int // of code objects, and of constants, in one another
}

// DefaultLimits are well above what any source file compiles to.
func DefaultLimits() Limits {
	return Limits{Code: 2 << 20, Instructions: 500_000, Constants: 500_000, Nesting: 50}
}

// ErrLimit is the error of what is over a limit.
var ErrLimit = errors.New("it is larger or nested deeper than is translated")

// ErrVersion is the error of bytecode whose instructions are not understood.
var ErrVersion = errors.New("the instructions of its version are not understood")

// The versions that are translated.
const (
	oldest pyc.Version = 8
	newest pyc.Version = 15
)

// Module translates a bytecode file; name is how evidence is to call it. The program
// has passed ir.Validate. An error says that the file can't be what a compiler wrote
// or, as ErrLimit or ErrVersion, why it is not translated.
func Module(f *pyc.File, name string, l Limits) (*ir.Module, error) {
	if f.Version < oldest || f.Version > newest {
		return nil, fmt.Errorf("translating bytecode of Python %s: %w", f.Version, ErrVersion)
	}
	t := &translator{left: l}
	c := t.code(f.Code)
	if t.err == nil {
		t.err = ir.Validate(c)
	}
	for i := 0; i < len(t.waits) && t.err == nil; i++ {
		t.err = rethrows(t.waits[i].code, t.waits[i].all)
	}
	if t.err == nil {
		trim(c)
		t.err = ir.Validate(c)
	}
	if t.err != nil {
		return nil, fmt.Errorf("translating bytecode of Python %s: %w", f.Version, t.err)
	}
	return &ir.Module{File: name, Code: c}, nil
}

// A translator translates one file.
type translator struct {
	left  Limits // what may still be translated
	waits []waiting
	err   error // the first one
}

// waiting is the waits of a code object.
type waiting struct {
	code *ir.Code
	all  []wait
}

func (t *translator) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// code translates c and the code objects in it. References of marshal may share a
// code object; here each occurrence is its own, and is counted.
func (t *translator) code(c *pyc.Code) *ir.Code {
	t.left.Nesting--
	defer func() { t.left.Nesting++ }()
	t.left.Code -= len(c.Bytecode) + len(c.LineTable) + len(c.ExceptionTable) + 1
	t.left.Constants -= len(c.Variables)
	if t.left.Code < 0 || t.left.Nesting < 0 || t.left.Constants < 0 {
		t.fail(ErrLimit)
		return nil
	}
	c = apart(c)
	out := &ir.Code{
		Name: c.Name, Qualname: c.Qualified, FirstLine: c.FirstLine, Flow: flow(c.Flags),
		Cells: c.VariablesOf(pyc.Cell), Free: c.VariablesOf(pyc.Free), Consts: t.constants(c.Constants, false),
	}
	if c.Flags&pyc.Optimized == 0 {
		out.Scope = ir.Namespace
	}
	t.parameters(c, out)
	if t.err != nil {
		return nil
	}
	b := newBody(c, out, &t.left)
	b.translate()
	if b.err != nil {
		t.fail(fmt.Errorf("%s: %w", c.Qualified, b.err))
	}
	t.waits = append(t.waits, waiting{out, b.waits})
	return out
}

// parameters copies what a function takes. The order of the variables is that of
// ir.Code.Params.
func (t *translator) parameters(c *pyc.Code, out *ir.Code) {
	out.PosOnly, out.Positional, out.KeywordOnly = c.PositionalOnly, c.Arguments, c.KeywordOnly
	out.VarArgs, out.VarKeywords = c.Flags&pyc.VarArgs != 0, c.Flags&pyc.VarKeywords != 0
	n := c.Arguments + c.KeywordOnly
	for _, has := range []bool{out.VarArgs, out.VarKeywords} {
		if has {
			n++
		}
	}
	if c.Arguments < 0 || c.KeywordOnly < 0 || n > len(c.Variables) {
		t.fail(fmt.Errorf("%s: %d parameters among %d variables", c.Qualified, n, len(c.Variables)))
		return
	}
	out.Params = c.Variables[:n:n]
	if name, ok := twice(c); ok {
		t.fail(fmt.Errorf("%s: two variables named %s", c.Qualified, name))
	}
}

func flow(flags int) ir.Flow {
	switch {
	case flags&pyc.AsyncGenerator != 0:
		return ir.AsyncGenerator
	case flags&pyc.Coroutine != 0:
		return ir.Coroutine
	case flags&pyc.Generator != 0:
		return ir.Generator
	}
	return ir.Plain
}

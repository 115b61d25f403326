package network

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

const (
	maxCodes = 10_000  // code objects of one file that are looked at
	maxAsked = 100_000 // names of constants of one code object that are
)

// clearInBytecode finds the URLs that bytecode stores under a name, hands on under one,
// or names beside the variable that they stand for. Bytecode of a version that is not
// understood tells nothing.
func clearInBytecode(b []byte) []Clear {
	f, err := pyc.Read(b, pyc.DefaultLimits())
	if err != nil {
		return nil
	}
	var out []Clear
	seen := map[*pyc.Code]bool{}
	codes := []*pyc.Code{f.Code}
	for len(codes) > 0 && len(out) < maxSettings {
		c := codes[0]
		codes = codes[1:]
		if seen[c] || len(seen) >= maxCodes {
			continue
		}
		seen[c] = true
		for _, v := range c.Constants {
			if inner, ok := v.(*pyc.Code); ok {
				codes = append(codes, inner)
			}
		}
		out = append(out, clearInCode(c)...)
	}
	return out
}

// loaded are the constants that a code object has just loaded, as far as they follow on
// each other.
type loaded struct {
	code  *pyc.Code
	run   []pyc.Constant
	asked int // names that were looked at
	out   []Clear
}

func clearInCode(c *pyc.Code) []Clear {
	l := loaded{code: c}
	for _, in := range c.Instructions() {
		l.step(in)
	}
	return l.out
}

// step follows one instruction (Python library, dis, "Python Bytecode Instructions").
func (l *loaded) step(in pyc.Instruction) {
	switch in.Name {
	case "LOAD_CONST":
		l.load(at(l.code.Constants, in.Arg))
	case "KW_NAMES":
		l.keywords(at(l.code.Constants, in.Arg))
	case "STORE_NAME", "STORE_GLOBAL", "STORE_ATTR":
		l.store(at(l.code.Names, in.Arg))
		l.run = nil
	case "STORE_FAST":
		l.store(at(l.code.Variables, in.Arg))
		l.run = nil
	case "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_NAME", "PRECALL", "NOP": // the object of a STORE_ATTR, and what does nothing
	default:
		l.run = nil
	}
}

// at is an element of a list, the zero value outside of it.
func at[T any](list []T, i int) (v T) {
	if i >= 0 && i < len(list) {
		v = list[i]
	}
	return v
}

// load takes in a constant: a URL behind the name that it is for, or the names of the
// arguments before.
func (l *loaded) load(v pyc.Constant) {
	switch v := v.(type) {
	case pyc.Tuple:
		l.keywords(v)
	case pyc.Text:
		name, _ := at(l.run, len(l.run)-1).(pyc.Text)
		l.out = addClear(l.out, 0, string(name), string(v))
		l.out = addClear(l.out, 0, "", string(v))
	}
	l.run = append(l.run, v)
}

// store takes in the name under which the constant before is stored.
func (l *loaded) store(name string) {
	if v, ok := at(l.run, len(l.run)-1).(pyc.Text); ok {
		l.out = addClear(l.out, 0, name, string(v))
	}
}

// keywords takes in the names of the constants before, of a call or a mapping.
func (l *loaded) keywords(v pyc.Constant) {
	names, _ := v.(pyc.Tuple)
	if l.asked += len(names); len(names) > len(l.run) || l.asked > maxAsked {
		return
	}
	for i, value := range l.run[len(l.run)-len(names):] {
		name, named := names[i].(pyc.Text)
		if text, ok := value.(pyc.Text); ok && named {
			l.out = addClear(l.out, 0, string(name), string(text))
		}
	}
}

package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isAll reports whether e is "$@" or "${array[@]}".
func isAll(e *syntax.ParamExp) bool {
	return e.Param != nil && (e.Param.Value == "@" || subscript(e) == "@")
}

func subscript(e *syntax.ParamExp) string {
	if w, ok := e.Index.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// param returns what a parameter expansion becomes, and whether the result is
// split when it is not quoted.
func (s *Scope) param(e *syntax.ParamExp) (words []Word, split bool) {
	words, split = s.expand(e)
	if e.Param == nil || e.Length || e.IsSet || e.Exp != nil && (e.Exp.Op == syntax.AlternateUnset || e.Exp.Op == syntax.AlternateUnsetOrNull) {
		return words, split
	}
	value, _ := s.lookup(e)
	for i := range words {
		words[i] = words[i].with(join(value).Holds)
	}
	return words, split
}

func (s *Scope) expand(e *syntax.ParamExp) (words []Word, split bool) {
	unknown := []Word{{Text: source(e)}}
	if e.Param == nil || e.Excl || e.Length || e.Width || e.IsSet || e.Repl != nil || e.Names != 0 || e.Flags != nil || e.Modifiers != nil {
		return unknown, true
	}
	value, set := s.lookup(e)
	if e.Slice != nil {
		return s.slice(e, value), true
	}
	if e.Exp != nil {
		return s.modify(e, value, set)
	}
	if !set && s.Open && e.Param.Value != "@" && e.Param.Value != "*" {
		return unknown, true
	}
	if !set && s.loose(e) {
		return []Word{{Known: true, Loose: true}}, true
	}
	for i := range value {
		if !value[i].Known && !value[i].Any {
			value[i].Text = unknown[0].Text
		}
	}
	return value, true
}

// loose reports whether a parameter that is not set may be when the script runs.
func (s *Scope) loose(e *syntax.ParamExp) bool { return s.Loose && syntax.ValidName(e.Param.Value) }

// lookup returns a copy of a parameter's value.
func (s *Scope) lookup(e *syntax.ParamExp) (value []Word, set bool) {
	name := e.Param.Value
	switch {
	case name == "@" || name == "*":
		return append([]Word(nil), s.Args...), len(s.Args) > 0
	case name == "0":
		return []Word{s.Zero}, true
	case name == "#":
		for _, w := range s.Args {
			if w.Any {
				return []Word{{}}, true
			}
		}
		return Known(strconv.Itoa(len(s.Args))), true
	case name[0] >= '1' && name[0] <= '9':
		return s.positional(name)
	case slices.Contains([]string{"?", "-", "$", "!", "_"}, name):
		return []Word{{}}, true
	}
	value, set = s.Var(name)
	value = append([]Word(nil), value...)
	switch sub := subscript(e); {
	case e.Index != nil && sub == "":
		return []Word{{}}, set
	case sub == "@" || sub == "*":
		return value, set
	case sub != "":
		i, err := strconv.Atoi(sub)
		if err != nil || !set || i < 0 || i >= len(value) {
			return []Word{{}}, set
		}
		return value[i : i+1], true
	}
	if len(value) > 1 {
		value = value[:1]
	}
	return value, set
}

func (s *Scope) positional(name string) ([]Word, bool) {
	n, err := strconv.Atoi(name)
	if err != nil {
		return nil, false
	}
	for i, w := range s.Args {
		if w.Any {
			return []Word{{}}, true
		}
		if i == n-1 {
			return []Word{w}, true
		}
	}
	return nil, false
}

// slice returns "${@:n}" of a known list, whose elements are counted from 1, or
// ${x:n:m} of a known text.
func (s *Scope) slice(e *syntax.ParamExp, value []Word) []Word {
	unknown := []Word{{Text: source(e), Any: isAll(e)}}
	from, ok := literal(e.Slice.Offset)
	switch {
	case !ok:
		return unknown
	case e.Param.Value != "@":
		return substring(e.Slice, value, from, unknown)
	case e.Slice.Length != nil || from < 1 || from > len(value)+1:
		return unknown
	}
	for _, v := range value[:from-1] {
		if v.Any {
			return unknown
		}
	}
	return value[from-1:]
}

func substring(s *syntax.Slice, value []Word, from int, unknown []Word) []Word {
	if len(value) != 1 || !value[0].Known {
		return unknown
	}
	w := value[0]
	w.Text = w.Text[min(from, len(w.Text)):]
	if s.Length != nil {
		n, ok := literal(s.Length)
		if !ok {
			return unknown
		}
		w.Text = w.Text[:min(n, len(w.Text))]
	}
	return []Word{w}
}

// literal returns a number that is written out.
func literal(x syntax.ArithmExpr) (int, bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(w.Lit())
	return n, err == nil && n >= 0
}

// modify applies ${x:-word} and its like.
func (s *Scope) modify(e *syntax.ParamExp, value []Word, set bool) ([]Word, bool) {
	unknown := []Word{{Text: source(e)}}
	known := set && len(value) == 1 && value[0].Known
	empty := !set || known && value[0].Text == ""
	switch e.Exp.Op {
	case syntax.DefaultUnset, syntax.AssignUnset, syntax.ErrorUnset:
		empty = !set
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.ErrorUnsetOrNull:
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return s.alternate(e, set, known, empty)
	default:
		if known {
			return []Word{s.trim(e.Exp, value[0], unknown[0])}, true
		}
		return unknown, true
	}
	if set && !known && len(value) == 1 {
		return unknown, true
	}
	if !empty {
		return value, true
	}
	if e.Exp.Op == syntax.ErrorUnset || e.Exp.Op == syntax.ErrorUnsetOrNull {
		return unknown, true
	}
	w := s.Value(e.Exp.Word)
	w.Loose = w.Loose || !set && (s.Open || s.loose(e)) || set && value[0].Loose
	return []Word{w}, true
}

func (s *Scope) alternate(e *syntax.ParamExp, set, known, empty bool) ([]Word, bool) {
	unknown := []Word{{Text: source(e), Any: true}}
	if e.Exp.Op == syntax.AlternateUnset {
		empty, known = !set, set
	}
	switch {
	case !set && s.Open, set && !known:
		return unknown, true
	case !set && s.loose(e):
		return []Word{{Known: true, Loose: true}}, true
	case empty:
		return nil, true
	}
	if p := e.Exp.Word; p != nil && len(p.Parts) == 1 {
		return s.Expand(p), false
	}
	w := s.Value(e.Exp.Word)
	return []Word{w}, true
}

// trim removes a prefix or suffix. Patterns other than a literal with one star at
// an end are not followed.
func (s *Scope) trim(x *syntax.Expansion, value, unknown Word) Word {
	pat := s.Value(x.Word)
	lit := strings.Trim(pat.Text, "*")
	if !pat.Known || lit == "" || strings.ContainsAny(lit, `*?[\`) {
		return unknown
	}
	v := value.Text
	var out string
	switch op := x.Op; {
	case op == syntax.RemSmallPrefix && pat.Text == lit, op == syntax.RemLargePrefix && pat.Text == lit:
		out = strings.TrimPrefix(v, lit)
	case op == syntax.RemSmallSuffix && pat.Text == lit, op == syntax.RemLargeSuffix && pat.Text == lit:
		out = strings.TrimSuffix(v, lit)
	case op == syntax.RemSmallPrefix && pat.Text == "*"+lit:
		out = cut(v, strings.Index(v, lit)+len(lit), len(v), strings.Contains(v, lit))
	case op == syntax.RemLargePrefix && pat.Text == "*"+lit:
		out = cut(v, strings.LastIndex(v, lit)+len(lit), len(v), strings.Contains(v, lit))
	case op == syntax.RemSmallSuffix && pat.Text == lit+"*":
		out = cut(v, 0, strings.LastIndex(v, lit), strings.Contains(v, lit))
	case op == syntax.RemLargeSuffix && pat.Text == lit+"*":
		out = cut(v, 0, strings.Index(v, lit), strings.Contains(v, lit))
	default:
		return unknown
	}
	return Word{Text: out, Known: true, Loose: value.Loose || pat.Loose}
}

func cut(v string, from, to int, found bool) string {
	if !found {
		return v
	}
	return v[from:to]
}

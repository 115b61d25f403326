package bake

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// huge is a number that takes many digits to write out.
var huge = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{3,}|[0-9]{400}`)

// affordable reports files that would cost a parser or an evaluation too much.
func affordable(text []byte) error {
	if len(text) > maxBytes {
		return fmt.Errorf("it is over %d bytes", maxBytes)
	}
	if at := huge.FindIndex(text); at != nil {
		return fmt.Errorf("line %d has a number of over 300 digits", 1+bytes.Count(text[:at[0]], []byte("\n")))
	}
	depth, row := 0, 0
	for i, c := range text {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth = max(0, depth-1)
		}
		if row++; i > 0 && c != text[i-1] || c != '!' && c != '-' {
			row = 0
		}
		if depth > maxNesting || row > maxNesting {
			return fmt.Errorf("line %d nests deeper than %d", 1+bytes.Count(text[:i], []byte("\n")), maxNesting)
		}
	}
	return nil
}

// permitted returns the variables that an expression refers to, or what in it is not
// evaluated here.
func permitted(e expression) (names []string, err error) {
	_ = hclsyntax.VisitAll(e.Expression, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ForExpr:
			err = e.errorf("what a \"for\" makes is not evaluated")
		case *hclsyntax.SplatExpr:
			err = e.errorf("what a splat makes is not evaluated")
		case *hclsyntax.ScopeTraversalExpr:
			if name := n.Traversal.RootName(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// small reports whether the texts of a value are short.
func small(v cty.Value) bool {
	n := 0
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		n++
		if x.IsKnown() && !x.IsNull() && x.Type() == cty.String {
			n += len(x.AsString())
		}
		return n <= maxText, nil
	})
	return n <= maxText
}

// builtin are the functions that files may call: those of bake that only look at
// their arguments and whose result is not much longer than they are.
var builtin = map[string]function.Function{
	"and": bounded(stdlib.AndFunc), "chomp": bounded(stdlib.ChompFunc), "coalesce": bounded(stdlib.CoalesceFunc),
	"compact": bounded(stdlib.CompactFunc), "concat": bounded(stdlib.ConcatFunc), "contains": bounded(stdlib.ContainsFunc),
	"distinct": bounded(stdlib.DistinctFunc), "element": bounded(stdlib.ElementFunc), "equal": bounded(stdlib.EqualFunc),
	"flatten": bounded(stdlib.FlattenFunc), "greaterthan": bounded(stdlib.GreaterThanFunc), "index": bounded(stdlib.IndexFunc),
	"join": bounded(stdlib.JoinFunc), "keys": bounded(stdlib.KeysFunc), "length": bounded(stdlib.LengthFunc),
	"lessthan": bounded(stdlib.LessThanFunc), "lookup": bounded(stdlib.LookupFunc), "lower": bounded(stdlib.LowerFunc),
	"merge": bounded(stdlib.MergeFunc), "not": bounded(stdlib.NotFunc), "notequal": bounded(stdlib.NotEqualFunc),
	"or": bounded(stdlib.OrFunc), "regex": bounded(stdlib.RegexFunc), "regex_replace": bounded(stdlib.RegexReplaceFunc),
	"replace": bounded(stdlib.ReplaceFunc), "reverse": bounded(stdlib.ReverseListFunc), "slice": bounded(stdlib.SliceFunc),
	"sort": bounded(stdlib.SortFunc), "split": bounded(stdlib.SplitFunc), "strlen": bounded(stdlib.StrlenFunc),
	"substr": bounded(stdlib.SubstrFunc), "title": bounded(stdlib.TitleFunc), "trim": bounded(stdlib.TrimFunc),
	"trimprefix": bounded(stdlib.TrimPrefixFunc), "trimspace": bounded(stdlib.TrimSpaceFunc), "trimsuffix": bounded(stdlib.TrimSuffixFunc),
	"upper": bounded(stdlib.UpperFunc), "values": bounded(stdlib.ValuesFunc),
}

// bounded makes a function fail that gives a long result, before another one makes
// more of it.
func bounded(f function.Function) function.Function {
	spec := &function.Spec{
		Params: f.Params(), VarParam: f.VarParam(),
		Type: f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err == nil && v.IsWhollyKnown() && !small(v) {
				return cty.NilVal, fmt.Errorf("its result is over %d bytes", maxText)
			}
			return v, err
		},
	}
	return function.New(spec)
}

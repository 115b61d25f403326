package bake

import (
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// An expression is the value of an attribute, not evaluated.
type expression struct {
	hclsyntax.Expression
	line int
}

func (e expression) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{e.line}, args...)...)
}

// A variable has a default, unless the environment gives it a value.
type variable struct {
	line    int
	initial *expression // nil if it has none
}

// A procedure is a function that the file defines.
type procedure struct {
	params []string
	rest   string // of variadic ones
	result expression
}

// A scope evaluates expressions.
type scope struct {
	file  *File
	known map[string]cty.Value
	open  []string // variables that are being evaluated
	spent int      // targets that were inherited from
}

func (f *File) scope(with map[string]cty.Value) *scope {
	s := &scope{file: f, known: map[string]cty.Value{}}
	maps.Copy(s.known, with)
	return s
}

// value evaluates an expression.
func (s *scope) value(e expression) (cty.Value, error) {
	names, err := permitted(e)
	if err != nil {
		return cty.NilVal, err
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: maps.Clone(builtin)}
	for name, p := range s.file.functions {
		ctx.Functions[name] = s.function(p)
	}
	for _, name := range names {
		v, err := s.variable(e, name)
		if err != nil {
			return cty.NilVal, err
		}
		ctx.Variables[name] = v
	}
	return evaluate(e, ctx)
}

// evaluate leaves what HCL finds wrong out of the error: it may quote a value.
func evaluate(e expression, ctx *hcl.EvalContext) (v cty.Value, err error) {
	defer func() {
		if recover() != nil {
			v, err = cty.NilVal, e.errorf("it can't be evaluated")
		}
	}()
	v, diags := e.Value(ctx)
	switch {
	case diags.HasErrors():
		return cty.NilVal, e.errorf("it can't be evaluated: %s", diags[0].Summary)
	case !v.IsWhollyKnown() || !small(v):
		return cty.NilVal, e.errorf("its value is over %d bytes", maxText)
	}
	return v, nil
}

// variable returns the value of a variable: the environment's, or its default.
func (s *scope) variable(from expression, name string) (cty.Value, error) {
	if v, ok := s.known[name]; ok {
		return v, nil
	}
	x := s.file.variables[name]
	if x == nil {
		return cty.NilVal, from.errorf("it refers to %s, which is no variable of the file", name)
	}
	v := cty.StringVal("")
	switch text := s.file.getenv(name); {
	case text != "":
		v = cty.StringVal(text)
	case x.initial != nil:
		if len(s.open) > maxDepth {
			return cty.NilVal, from.errorf("variables refer to each other in a circle")
		}
		s.open = append(s.open, name)
		initial, err := s.value(*x.initial)
		s.open = s.open[:len(s.open)-1]
		if err != nil {
			return cty.NilVal, err
		}
		v = initial
	}
	s.known[name] = v
	return v, nil
}

// function makes one of the file's own functions. It sees its arguments, the
// variables and the usual functions, and none of the file's own.
func (s *scope) function(p *procedure) function.Function {
	spec := &function.Spec{Type: function.StaticReturnType(cty.DynamicPseudoType)}
	for _, name := range p.params {
		spec.Params = append(spec.Params, function.Parameter{Name: name, Type: cty.DynamicPseudoType, AllowNull: true})
	}
	if p.rest != "" {
		spec.VarParam = &function.Parameter{Name: p.rest, Type: cty.DynamicPseudoType, AllowNull: true}
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: builtin}
		for i, name := range p.params {
			ctx.Variables[name] = args[i]
		}
		if p.rest != "" {
			ctx.Variables[p.rest] = cty.TupleVal(args[len(p.params):])
		}
		names, err := permitted(p.result)
		if err != nil {
			return cty.NilVal, err
		}
		for _, name := range names {
			if _, ok := ctx.Variables[name]; ok {
				continue
			}
			if ctx.Variables[name], err = s.variable(p.result, name); err != nil {
				return cty.NilVal, err
			}
		}
		return evaluate(p.result, ctx)
	}
	return function.New(spec)
}

// text evaluates an expression to a text; null is none.
func (s *scope) text(e expression) (string, error) {
	v, err := s.value(e)
	if err != nil || v.IsNull() {
		return "", err
	}
	return asText(e, v)
}

func asText(e expression, v cty.Value) (string, error) {
	t, err := convert.Convert(v, cty.String)
	if err != nil || t.IsNull() {
		return "", e.errorf("it is no text")
	}
	return t.AsString(), nil
}

// list evaluates an expression to texts; an attribute that is not there has none.
func (s *scope) list(e expression) ([]string, error) {
	if e.Expression == nil {
		return nil, nil
	}
	v, err := s.value(e)
	if err != nil || v.IsNull() {
		return nil, err
	}
	if !v.CanIterateElements() || v.Type().IsObjectType() || v.Type().IsMapType() {
		return nil, e.errorf("it is no list")
	}
	var out []string
	for it := v.ElementIterator(); it.Next(); {
		_, item := it.Element()
		text, err := asText(e, item)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// pairs evaluates an expression to named texts. Those that are null are left out: the
// builder's default counts.
func (s *scope) pairs(e expression) (map[string]string, error) {
	if e.Expression == nil {
		return nil, nil
	}
	v, err := s.value(e)
	if err != nil || v.IsNull() {
		return nil, err
	}
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return nil, e.errorf("it is no map")
	}
	out := map[string]string{}
	for it := v.ElementIterator(); it.Next(); {
		name, item := it.Element()
		if item.IsNull() {
			continue
		}
		if out[name.AsString()], err = asText(e, item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

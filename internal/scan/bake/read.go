package bake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// readHCL reads the native form.
func (f *File) readHCL(text []byte) error {
	parsed, diags := hclsyntax.ParseConfig(text, f.path, hcl.InitialPos)
	if diags.HasErrors() {
		return syntaxError(diags)
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return errors.New("it has no body")
	}
	for name, a := range body.Attributes {
		e := expression{a.Expr, a.SrcRange.Start.Line}
		f.variables[name] = &variable{e.line, &e}
	}
	for _, b := range body.Blocks {
		if len(b.Labels) != 1 {
			return fmt.Errorf("line %d: %s has no name, or more than one", b.TypeRange.Start.Line, b.Type)
		}
		attrs := map[string]expression{}
		for name, a := range b.Body.Attributes {
			attrs[name] = expression{a.Expr, a.SrcRange.Start.Line}
		}
		if err := f.add(b.Type, b.Labels[0], b.TypeRange.Start.Line, attrs); err != nil {
			return err
		}
	}
	return nil
}

// syntaxError is the first thing the parser found wrong, without the text it quotes.
func syntaxError(diags hcl.Diagnostics) error {
	line := 1
	if at := diags[0].Subject; at != nil {
		line = at.Start.Line
	}
	return fmt.Errorf("line %d: %s", line, diags[0].Summary)
}

// add files a block by its kind. Kinds that say nothing of builds are left out.
func (f *File) add(kind, name string, line int, attrs map[string]expression) error {
	switch kind {
	case "variable":
		v := &variable{line: line}
		if e, ok := attrs["default"]; ok {
			v.initial = &e
		}
		f.variables[name] = v
	case "function":
		return f.define(name, line, attrs)
	case "group":
		join(f.groups, name, line, attrs)
	case "target":
		if f.targets[name] == nil {
			f.order = append(f.order, name)
		}
		join(f.targets, name, line, attrs)
	}
	return nil
}

func join(all map[string]*block, name string, line int, attrs map[string]expression) {
	if all[name] == nil {
		all[name] = &block{line, map[string]expression{}}
	}
	maps.Copy(all[name].attrs, attrs)
}

// define reads a function.
func (f *File) define(name string, line int, attrs map[string]expression) error {
	result, ok := attrs["result"]
	if !ok {
		return fmt.Errorf("line %d: function %s has no result", line, name)
	}
	p := &procedure{result: result}
	if e, ok := attrs["params"]; ok {
		if p.params = identifiers(e); p.params == nil {
			return e.errorf("the params of a function are a list of names")
		}
	}
	if e, ok := attrs["variadic_params"]; ok {
		if names := identifiers(e); len(names) == 1 {
			p.rest = names[0]
		}
	}
	f.functions[name] = p
	return nil
}

// identifiers returns the name, or the names in a list of them, written as names or as
// texts; nil if it is something else.
func identifiers(e expression) []string {
	items := []hclsyntax.Expression{e.Expression}
	if list, ok := e.Expression.(*hclsyntax.TupleConsExpr); ok {
		items = list.Exprs
	}
	out := []string{}
	for _, x := range items {
		name := hcl.ExprAsKeyword(x)
		if v, diags := x.Value(nil); name == "" && !diags.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			name = v.AsString()
		}
		if name == "" {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// readJSON reads the JSON form, whose texts are templates.
func (f *File) readJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return fmt.Errorf("line %d: it is no JSON object", 1+bytes.Count(text[:offset(err, len(text))], []byte("\n")))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind its JSON object")
	}
	for _, kind := range slices.Sorted(maps.Keys(doc)) {
		blocks, ok := doc[kind].(map[string]any)
		if !ok {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(blocks)) {
			at := line(text, name)
			attrs, err := attributes(blocks[name], at)
			if err == nil {
				err = f.add(kind, name, at, attrs)
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", kind, name, err)
			}
		}
	}
	return nil
}

// offset is where a JSON text is no JSON any more.
func offset(err error, size int) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return min(int(syntax.Offset), size)
	}
	return size
}

// line is where a name stands first as a key.
func line(text []byte, name string) int {
	quoted, _ := json.Marshal(name) // a text always can be
	at := regexp.MustCompile(regexp.QuoteMeta(string(quoted)) + `\s*:`).FindIndex(text)
	if at == nil {
		return 1
	}
	return 1 + bytes.Count(text[:at[0]], []byte("\n"))
}

func attributes(v any, line int) (map[string]expression, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	out := map[string]expression{}
	for name, v := range fields {
		e, err := template(v)
		if err != nil {
			return nil, err
		}
		out[name] = expression{e, line}
	}
	return out, nil
}

// template makes an expression of a JSON value.
func template(v any) (hclsyntax.Expression, error) {
	switch v := v.(type) {
	case nil:
		return &hclsyntax.LiteralValueExpr{Val: cty.NullVal(cty.DynamicPseudoType)}, nil
	case bool:
		return &hclsyntax.LiteralValueExpr{Val: cty.BoolVal(v)}, nil
	case json.Number:
		n, err := convert.Convert(cty.StringVal(v.String()), cty.Number)
		return &hclsyntax.LiteralValueExpr{Val: n}, err
	case string:
		e, diags := hclsyntax.ParseTemplate([]byte(v), "", hcl.InitialPos)
		if diags.HasErrors() {
			return nil, syntaxError(diags)
		}
		return e, nil
	case []any:
		list := &hclsyntax.TupleConsExpr{}
		for _, item := range v {
			e, err := template(item)
			if err != nil {
				return nil, err
			}
			list.Exprs = append(list.Exprs, e)
		}
		return list, nil
	case map[string]any:
		object := &hclsyntax.ObjectConsExpr{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e, err := template(v[name])
			if err != nil {
				return nil, err
			}
			key := &hclsyntax.LiteralValueExpr{Val: cty.StringVal(name)}
			object.Items = append(object.Items, hclsyntax.ObjectConsItem{KeyExpr: key, ValueExpr: e})
		}
		return object, nil
	}
	return nil, errors.New("it has a value of no JSON type")
}

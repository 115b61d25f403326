package source

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
)

// A tree prints a syntax tree in the form of testdata/tree.py. Lines are shown as the
// interpreter shows them: not at all before 3.8, and not inside f-strings before 3.12.
type tree struct {
	strings.Builder
	lines, joinedLines bool
	joined             int
}

// unlined are the nodes whose lines are not compared: not all versions have them.
var unlined = map[string]bool{"arg": true, "keyword": true, "alias": true, "typeParam": true, "sliceExpr": true}

func (t *tree) module(body []stmt) string {
	for i, s := range body {
		if i > 0 {
			t.WriteByte('\n')
		}
		t.value(reflect.ValueOf(s))
	}
	return t.String()
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c >= 32 && c < 127 && c != '"' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "\\x%02x", c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (t *tree) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			t.WriteString("_")
			return
		}
		if v.Kind() == reflect.Interface || v.Elem().Kind() != reflect.Struct {
			t.value(v.Elem())
			return
		}
		t.node(v.Elem())
	case reflect.Slice:
		t.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				t.WriteByte(' ')
			}
			t.value(v.Index(i))
		}
		t.WriteByte(']')
	case reflect.String:
		t.WriteString(quote(v.String()))
	case reflect.Bool:
		t.WriteString(map[bool]string{true: "T", false: "F"}[v.Bool()])
	case reflect.Int:
		fmt.Fprintf(t, "%d", v.Int())
	case reflect.Uint8:
		fmt.Fprintf(t, "%d", v.Uint())
	default:
		panic(v.Kind().String())
	}
}

func (t *tree) node(v reflect.Value) {
	name := v.Type().Name()
	t.WriteString("(" + name)
	t.line(name, v)
	if name == "joined" || name == "formatted" {
		t.joined++
		defer func() { t.joined-- }()
	}
	if name == "constant" || name == "matchSingleton" {
		t.WriteString(" " + literal(v.FieldByName("value")) + ")")
		return
	}
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case f.Name == "at" || f.Name == "parens":
		case name == "subscript" && f.Name == "slice":
			t.WriteByte(' ')
			t.slice(v.Field(i))
		case name == "joined" && f.Name == "values":
			t.WriteByte(' ')
			t.parts(v.Field(i))
		case name == "formatted" && f.Name == "spec" && !v.Field(i).IsNil():
			t.WriteString(" (joined F ")
			t.parts(v.Field(i).Elem().FieldByName("values"))
			t.WriteByte(')')
		default:
			t.WriteByte(' ')
			t.value(v.Field(i))
		}
	}
	t.WriteByte(')')
}

func (t *tree) line(name string, v reflect.Value) {
	f := v.FieldByName("at")
	if f.IsValid() && t.lines && !unlined[name] && (t.joined == 0 || t.joinedLines) {
		fmt.Fprintf(t, " %d", f.Int())
	}
}

// slice prints what a subscript takes; the line of a tuple there is not compared.
func (t *tree) slice(v reflect.Value) {
	if e := v.Elem().Elem(); e.Type().Name() == "tupleExpr" {
		t.WriteString("(tupleExpr ")
		t.value(e.FieldByName("elts"))
		t.WriteByte(')')
		return
	}
	t.value(v)
}

// parts prints the values of an f-string; the lines of its constants are not compared.
func (t *tree) parts(v reflect.Value) {
	t.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			t.WriteByte(' ')
		}
		if e := v.Index(i).Elem().Elem(); e.Type().Name() == "constant" {
			t.WriteString("(constant " + literal(e.FieldByName("value")) + ")")
		} else {
			t.value(v.Index(i))
		}
	}
	t.WriteByte(']')
}

// unknownText stands for a constant whose value is not known.
const unknownText = "<unknown>"

// literal prints the value of a constant.
func literal(v reflect.Value) string {
	if v.IsNil() {
		return "none"
	}
	v = v.Elem()
	switch v.Type() {
	case reflect.TypeFor[bool]():
		return fmt.Sprint(v.Bool())
	case reflect.TypeFor[ellipsis]():
		return "..."
	case reflect.TypeFor[*big.Int]():
		return fmt.Sprintf("%#x", (*big.Int)(v.UnsafePointer()))
	case reflect.TypeFor[float64]():
		return fmt.Sprintf("float%016x", math.Float64bits(v.Float()))
	case reflect.TypeFor[imaginary]():
		return fmt.Sprintf("imaginary%016x", math.Float64bits(v.Float()))
	case reflect.TypeFor[octets]():
		return "b" + quote(v.String())
	case reflect.TypeFor[opaque]():
		return unknownText
	}
	return quote(v.String())
}

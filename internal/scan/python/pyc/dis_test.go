package pyc_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc/pyctest"
)

// What is read of a code object is what the interpreter's own dis module shows:
// fields, constants, instructions, lines and handlers.
func TestAgainstDis(t *testing.T) {
	for _, in := range pyctest.Interpreters(t) {
		t.Run(in.Version.String(), func(t *testing.T) {
			codes := 0
			in.Modules(t, true, func(m pyctest.Module) {
				f, err := pyc.Read(m.Bytecode, pyc.DefaultLimits())
				if err != nil {
					t.Errorf("%s: %v", m.File, err)
					return
				}
				got := describe(f.Code)
				codes += len(got)
				if len(got) != len(m.Digests) {
					t.Errorf("%s: %d code objects, want %d", m.File, len(got), len(m.Digests))
					return
				}
				for i, d := range got {
					if sum := sha256.Sum256([]byte(d)); hex.EncodeToString(sum[:]) != m.Digests[i] {
						t.Errorf("%s: code object %d differs:\n%.2000s", m.File, i, d)
						return
					}
				}
			})
			t.Logf("%d code objects", codes)
		})
	}
}

// describe writes c and the code objects in it as pyctest's script does.
func describe(c *pyc.Code) []string {
	var b strings.Builder
	fmt.Fprintln(&b, "code", c.Arguments, c.PositionalOnly, c.KeywordOnly, c.Locals, c.StackSize, c.Flags, c.FirstLine)
	names := func(kind string, values ...string) {
		for i, v := range values {
			values[i] = hex.EncodeToString([]byte(v))
		}
		fmt.Fprintln(&b, kind, strings.Join(values, ","))
	}
	names("called", c.File, c.Name, c.Qualified)
	names("names", slices.Clone(c.Names)...)
	names("locals", c.VariablesOf(pyc.Local)...)
	names("cells", c.VariablesOf(pyc.Cell)...)
	names("free", c.VariablesOf(pyc.Free)...)
	for _, k := range c.Constants {
		fmt.Fprintln(&b, constant(k))
	}
	for _, i := range c.Instructions() {
		arg := "-"
		if i.HasArgument {
			arg = strconv.Itoa(i.Arg)
		}
		fmt.Fprintln(&b, i.Offset, i.Name, arg)
	}
	for _, l := range c.LineStarts() {
		line := "-"
		if l.Line != pyc.NoLine {
			line = strconv.Itoa(l.Line)
		}
		fmt.Fprintln(&b, "line", l.Offset, line)
	}
	for _, h := range c.Handlers() {
		last := "False"
		if h.LastI {
			last = "True"
		}
		fmt.Fprintln(&b, "handler", h.Start, h.End, h.Target, h.Depth, last)
	}
	out := []string{b.String()}
	for _, k := range c.Constants {
		if inner, ok := k.(*pyc.Code); ok {
			out = append(out, describe(inner)...)
		}
	}
	return out
}

func constant(k pyc.Constant) string {
	bits := func(f float64) string {
		return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, math.Float64bits(f)))
	}
	switch k := k.(type) {
	case nil:
		return "None"
	case bool:
		return strings.ToUpper(strconv.FormatBool(k)[:1]) + strconv.FormatBool(k)[1:]
	case pyc.Singular:
		return "Ellipsis"
	case int64:
		return fmt.Sprintf("int %#x", k)
	case pyc.Long:
		n := new(big.Int)
		for i := len(k.Digits) - 2; i >= 0; i -= 2 {
			n.Lsh(n, 15).Or(n, big.NewInt(int64(k.Digits[i])|int64(k.Digits[i+1])<<8))
		}
		if k.Negative {
			n.Neg(n)
		}
		return fmt.Sprintf("int %#x", n)
	case float64:
		return "float " + bits(k)
	case complex128:
		return "complex " + bits(real(k)) + bits(imag(k))
	case pyc.Text:
		return "str " + hex.EncodeToString([]byte(k))
	case pyc.Bytes:
		return "bytes " + hex.EncodeToString([]byte(k))
	case pyc.Tuple:
		return "(" + strings.Join(constants(k), ",") + ")"
	case pyc.Set:
		items := constants(k)
		slices.Sort(items)
		return "{" + strings.Join(items, ",") + "}"
	case pyc.Slice:
		return "slice(" + strings.Join(constants(k[:]), ",") + ")"
	case *pyc.Code:
		return "code " + hex.EncodeToString([]byte(k.Name))
	}
	return fmt.Sprintf("%T", k)
}

func constants(items []pyc.Constant) []string {
	var out []string
	for _, k := range items {
		out = append(out, constant(k))
	}
	return out
}

package lift

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// find returns the translation of a function of testdata/constructs.py.
func find(c *ir.Code, name string) *ir.Code {
	if c.Qualname == name || c.Name == name {
		return c
	}
	for _, k := range c.Consts {
		if k.Kind == ir.CodeObject {
			if f := find(k.Code, name); f != nil {
				return f
			}
		}
	}
	return nil
}

// listing shows the instructions and ranges of c, a line each.
func listing(c *ir.Code) string {
	var b strings.Builder
	for i := range c.Instrs {
		fmt.Fprintf(&b, "%d %s\n", i, c.Text(i))
	}
	for _, r := range c.Ranges {
		fmt.Fprintf(&b, "[%d, %d) to %d with %d and %d\n", r.Start, r.End, r.Target, r.Depth, r.Entry.Slots())
	}
	return b.String()
}

// What differs most between the versions, instruction by instruction.
func TestTranslation(t *testing.T) {
	for _, c := range translations {
		m, err := Module(sample(t, c.version), "x.pyc", DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := listing(find(m.Code, c.function)); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("%s of %s:\n%s", c.function, c.version, got)
		}
	}
}

// The versions agree on what a source does with attributes, items, operators, modules
// and keywords.
func TestVersionsAgree(t *testing.T) {
	var want map[string]string
	for v := oldest; v <= newest; v++ {
		m, err := Module(sample(t, v), "x.pyc", DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		outline(m.Code, got)
		if v == oldest {
			want = got
			if len(want) != 18 {
				t.Errorf("%d functions: %q", len(want), slices.Sorted(maps.Keys(want)))
			}
			continue
		}
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s of %s:\n%s\nwant:\n%s", name, v, got[name], w)
			}
		}
	}
}

// outline notes what each function does. Comprehensions count as the code around
// them, which they are a part of since Python 3.12.
func outline(c *ir.Code, out map[string]string) {
	words := map[string]bool{}
	gather(c, words, out)
	name := strings.ReplaceAll(c.Qualname, "<listcomp>.<lambda>", "<lambda>")
	out[name] = strings.Join(slices.Sorted(maps.Keys(words)), "\n")
}

func gather(c *ir.Code, words map[string]bool, out map[string]string) {
	for _, in := range c.Instrs {
		switch in.Op {
		case ir.LoadAttr, ir.LoadSuperAttr:
			words["load "+in.Name] = true
		case ir.StoreAttr, ir.DeleteAttr, ir.Import, ir.ImportFrom, ir.Unary, ir.Binary, ir.Yield, ir.YieldFrom, ir.Await, ir.GetANext, ir.LoadItem, ir.DeleteItem:
			words[fmt.Sprint(in.Op, " ", in.Name)] = true
		case ir.Compare:
			if !strings.HasPrefix(in.Name, "is") { // with None it may be a jump
				words["compare "+in.Name] = true
			}
		case ir.Call:
			for _, k := range in.Names {
				words["keyword "+k] = true
			}
		}
	}
	for _, k := range c.Consts {
		switch {
		case k.Kind != ir.CodeObject || k.Code.Name == "__annotate__":
		case strings.HasSuffix(k.Code.Name, "comp>"):
			gather(k.Code, words, out)
		default:
			outline(k.Code, out)
		}
	}
}

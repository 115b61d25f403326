package source

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// TestNamesAreCPythons compares how names are reached, and parameters, with the code
// objects of the interpreters in which comprehensions are functions, too.
func TestNamesAreCPythons(t *testing.T) {
	for _, in := range interpreters(t) {
		if in.Version < 8 || in.Version > 11 {
			continue
		}
		t.Run(in.Version.String(), func(t *testing.T) {
			out := in.run(t, "codes.py", in.files)
			n := 0
			all := strings.Split(out, "=\n")
			for k, file := range in.files {
				got := codesOf(t, in, file)
				for w := range strings.Lines(all[k]) {
					w = strings.TrimSuffix(w, "\n")
					if got != nil && !got[w] && !got[unlinedName(w)] && filepath.Base(file) != neverRuns {
						t.Errorf("%s: code object is missing:\n%s\nof that name:\n%s", file, w, ofName(got, w))
					}
					n++
				}
			}
			t.Logf("%d code objects are the same", n)
		})
	}
}

// neverRuns is a test of CPython with local variables in code that never runs, which
// CPython leaves out.
const neverRuns = "test_urllib2net.py"

// unlinedName takes the line out of a description: until 3.11, those inside f-strings
// are wrong.
func unlinedName(w string) string {
	words := strings.Split(w, " ")
	if len(words) < 2 {
		return w
	}
	return strings.Join(slices.Delete(words, 1, 2), " ")
}

func ofName(got map[string]bool, w string) string {
	name, _, _ := strings.Cut(w, " ")
	var list []string
	for _, g := range slices.Sorted(maps.Keys(got)) {
		if strings.HasPrefix(g, name+" ") && len(list) < 10 {
			list = append(list, g)
		}
	}
	return strings.Join(list, "\n")
}

// codesOf describes the code objects of a source as testdata/codes.py does; nil if it
// is refused as documented.
func codesOf(t *testing.T, in interpreter, file string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Compile(file, data, Options{Limits: DefaultLimits()})
	if err != nil {
		return nil // a test of its own looks at those that Python takes
	}
	got := map[string]bool{}
	describe(m.Code, in.Version >= 11, got)
	return got
}

func describe(c *ir.Code, qualified bool, got map[string]bool) {
	locals := map[string]bool{}
	for _, in := range c.Instrs {
		if in.Op == ir.LoadLocal || in.Op == ir.StoreLocal || in.Op == ir.DeleteLocal {
			locals[in.Name] = true
		}
	}
	for _, p := range c.Params {
		delete(locals, p)
	}
	name := c.Name
	if qualified {
		name = c.Qualname
	}
	w := fmt.Sprintf("%s %d %d/%d/%d %s %s %s %s %c", name, c.FirstLine, c.PosOnly, c.Positional, c.KeywordOnly,
		strings.Join(c.Params, ","), strings.Join(slices.Sorted(maps.Keys(locals)), ","),
		strings.Join(c.Cells, ","), strings.Join(c.Free, ","), "PGCA"[c.Flow])
	got[w], got[unlinedName(w)] = true, true
	for _, k := range c.Consts {
		if k.Code != nil {
			describe(k.Code, qualified, got)
		}
	}
}

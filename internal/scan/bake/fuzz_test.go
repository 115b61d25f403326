package bake

import (
	"strings"
	"testing"
)

// FuzzRead evaluates any text, in both forms, within limits and without quoting it in
// errors.
func FuzzRead(f *testing.F) {
	f.Add(project)
	f.Add(`{"target": {"a": {"args": {"x": "${upper("y")}"}, "matrix": {"i": [1, 2]}, "name": "n${i}"}}}`)
	f.Add("function \"f\" {\n params = [a]\n result = [a, a]\n}\ntarget \"t\" {\n platforms = f(\"x\")\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"x.hcl", "x.json"} {
			file, err := Read(name, []byte(text), func(string) string { return "" })
			if err != nil {
				continue
			}
			targets, err := file.Targets("")
			if err != nil || len(targets) == 0 {
				continue
			}
			if len(targets) > maxTargets || len(strings.Join(targets[0].Platforms, "")) > maxText {
				t.Errorf("%d targets", len(targets))
			}
		}
	})
}

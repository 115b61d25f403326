package manifest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/compose-spec/compose-go/v2/template"
)

// A lookup is the value of a variable, and whether it has one.
type lookup = func(name string) (string, bool)

// expander replaces the variables of the texts of one file. The shell's are not known.
func (p *project) expander(env *variables) func(string) (text, unknown string) {
	left := 2 * p.lim.YAMLBytes // each value is looked up twice
	return func(s string) (string, string) {
		if !p.affords(s) {
			return s, "it has more expressions than are read"
		}
		text, unknown := interpolate(s, limited(&left, env.get))
		if left < 0 {
			return s, "its variables make more text than is read"
		}
		return text, unknown
	}
}

// limited is a lookup that ends when its values have more than left bytes: they are empty
// then, and left is below zero.
func limited(left *int64, get lookup) lookup {
	return func(name string) (string, bool) {
		v, ok := get(name)
		if *left -= int64(len(v)); *left < 0 {
			v = ""
		}
		return v, ok
	}
}

// plainVariable finds the expressions that are a variable and nothing else, and the
// escaped dollar, which only looks like the start of one.
var plainVariable = regexp.MustCompile(`(?i)\$\$|\$\{[_a-z][_a-z0-9]*\}|\$[_a-z][_a-z0-9]*`)

// interpolate replaces the variables of a text as compose does. A variable that has no
// value and no default is not empty here, as it is where the project runs: its
// expression is escaped, so it stays as written, and the answer says so.
func interpolate(s string, get lookup) (text, unknown string) {
	if !strings.Contains(s, "$") {
		return s, ""
	}
	var missing []string
	escaped := plainVariable.ReplaceAllStringFunc(s, func(e string) string {
		if _, ok := get(nameOf(e)); ok || e == "$$" {
			return e
		}
		missing = append(missing, e)
		return "$" + e
	})
	text, err := guarded(func() (string, error) {
		return template.SubstituteWithOptions(escaped, get, template.WithoutLogging)
	})
	var required *template.MissingRequiredError
	switch {
	case errors.As(err, &required):
		return s, noValue(required.Variable)
	case err != nil:
		return s, "an expression in it is not understood"
	}
	for _, e := range missing { // one in a default that is not used is gone
		if strings.Contains(text, e) {
			return text, noValue(nameOf(e))
		}
	}
	return text, ""
}

// nameOf is the name in $NAME or ${NAME}.
func nameOf(e string) string { return strings.Trim(e, "${}") }

func noValue(name string) string { return fmt.Sprintf("the variable %s has no value here", name) }

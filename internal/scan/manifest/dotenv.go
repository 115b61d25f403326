package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/compose-spec/compose-go/v2/dotenv"
)

// Variables are what the .env files of a project, or of a part of it, set.
type variables struct{ values map[string]string }

func (v *variables) get(name string) (string, bool) {
	text, ok := v.values[name]
	return text, ok
}

const (
	maxValue  = 64 << 10  // bytes in the value of a variable
	maxDotenv = 256 << 10 // bytes in an .env file
)

// environment are the variables of the .env file in a folder, under those of outer.
func (p *project) environment(dir string, outer *variables) *variables {
	name := path.Join(dir, ".env")
	text, err := p.readFile(name)
	if err != nil {
		if !p.none(name) {
			what := fmt.Sprintf("this .env file is not read: %v; the variables in it are not known", err)
			p.problems = append(p.problems, Problem{At: Place{File: p.shown(name)}, What: what})
		}
		return outer
	}
	return p.under(outer, name, text)
}

// none reports whether compose would find no .env file: it passes over a folder, such as
// an environment of Python, as over nothing.
func (p *project) none(name string) bool {
	if p.root == nil {
		return true
	}
	info, err := p.root.Stat(name)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// under are the variables of outer, and those of an .env file that outer does not have.
func (p *project) under(outer *variables, name string, text []byte) *variables {
	env, err := p.dotenv(string(text), outer)
	if err != nil {
		at := Place{File: p.shown(name), Line: 1, EndLine: 1} // compose's own count of lines is not exact
		p.problems = append(p.problems, Problem{At: at, What: "compose can't read this .env file to its end: the variables behind what breaks it are not known"})
	}
	if !p.count(len(env) + len(outer.values)) {
		return outer
	}
	for k, v := range outer.values {
		env[k] = v
	}
	return &variables{env}
}

// assignment finds the names in an .env file, in the order in which they get values.
var assignment = regexp.MustCompile(`(?m)^\s*(?:export\s+)?([_a-zA-Z][_a-zA-Z0-9]*)\s*[=:]`)

// dotenv reads the variables of an .env file, which may use those of outer and those
// before them. Those that are not known are left out; with an error, those behind it are
// too.
//
// The parser of compose replaces variables as it goes, and what has no value becomes
// empty. So its dollars are doubled: it only unquotes, and makes each two one where it
// would have replaced something. One that the file escapes itself is still looked up.
func (p *project) dotenv(text string, outer *variables) (map[string]string, error) {
	if len(text) > maxDotenv {
		return map[string]string{}, fmt.Errorf("it has more than %d bytes", maxDotenv)
	}
	raw, err := guarded(func() (map[string]string, error) {
		return dotenv.ParseWithLookup(strings.NewReader(strings.ReplaceAll(text, "$", "$$")), func(name string) (string, bool) {
			if strings.Contains(text, `\${`+name) {
				return "${", true // its braces are lost, so it is not understood
			}
			return "$" + name, true
		})
	})
	env := map[string]string{}
	get := func(name string) (string, bool) {
		if v, ok := outer.get(name); ok {
			return v, true
		}
		v, ok := env[name]
		return v, ok
	}
	for _, m := range assignment.FindAllStringSubmatch(text, -1) {
		v, ok := raw[m[1]]
		if !ok || !p.affords(v) {
			continue
		}
		left := int64(2 * maxValue) // each value is looked up twice
		if v, unknown := interpolate(v, limited(&left, get)); unknown == "" && left >= 0 && len(v) <= maxValue {
			env[m[1]] = v
		}
	}
	return env, err
}

package manifest

import (
	"fmt"
	"strings"
)

// maxNesting is how deep variables may stand in each other's defaults.
const maxNesting = 16

// interpolate replaces the variables of a text as compose does (Compose
// specification, "Interpolation"): $NAME, ${NAME}, with :- and - a default, with :+ and
// + what to use instead, with :? and ? an error; $$ is a dollar. A variable that has no
// value is not empty here, as it is where the project runs: it stays as written, and
// the answer says so.
func interpolate(s string, lookup func(string) (string, bool)) (text, unknown string) {
	return expand(s, lookup, 0)
}

func expand(s string, lookup func(string) (string, bool), depth int) (string, string) {
	var b strings.Builder
	unknown := ""
	for i := 0; i < len(s); {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n, why := "", 0, ""
		switch c := s[i+1]; {
		case c == '$':
			text, n = "$", 2
		case c == '{':
			text, n, why = braced(s[i:], lookup, depth)
		case isNameByte(c, true):
			n = 1 + nameLength(s[i+1:])
			text, why = plain(s[i:i+n], s[i+1:i+n], lookup)
		default:
			text, n = "$", 1
		}
		if unknown == "" {
			unknown = why
		}
		b.WriteString(text)
		i += n
	}
	return b.String(), unknown
}

// plain is the value of a variable without more.
func plain(written, name string, lookup func(string) (string, bool)) (text, unknown string) {
	if v, ok := lookup(name); ok {
		return v, ""
	}
	return written, fmt.Sprintf("the variable %s has no value here", name)
}

// braced replaces the expression that s begins with, which is n bytes long.
func braced(s string, lookup func(string) (string, bool), depth int) (text string, n int, unknown string) {
	end := closing(s)
	if end < 0 || depth == maxNesting {
		return s, len(s), "an expression in it is not understood"
	}
	inner, written := s[2:end], s[:end+1]
	name := inner[:nameLength(inner)]
	op, word := inner[len(name):], ""
	colon := strings.HasPrefix(op, ":")
	op = strings.TrimPrefix(op, ":")
	if op != "" {
		op, word = op[:1], op[1:]
	}
	v, set := lookup(name)
	if colon {
		set = set && v != ""
	}
	switch {
	case name == "" || op == "" && colon || op != "" && op != "-" && op != "+" && op != "?":
		return written, end + 1, "an expression in it is not understood"
	case op == "":
		text, unknown = plain(written, name, lookup)
		return text, end + 1, unknown
	case op == "-" && !set:
		text, unknown = expand(word, lookup, depth+1)
		return text, end + 1, unknown
	case op == "+" && set:
		text, unknown = expand(word, lookup, depth+1)
		return text, end + 1, unknown
	case op == "+":
		return "", end + 1, ""
	case !set:
		return written, end + 1, fmt.Sprintf("the variable %s has no value here", name)
	}
	return v, end + 1, ""
}

// closing is the index of the brace that ends the expression s begins with; -1 if none
// does.
func closing(s string) int {
	open := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			open++
			i++
		case s[i] == '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

func nameLength(s string) int {
	n := 0
	for n < len(s) && isNameByte(s[n], n == 0) {
		n++
	}
	return n
}

func isNameByte(c byte, first bool) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}

// maxValue is how long the value of a variable may be, in bytes.
const maxValue = 64 << 10

// dotenv reads the variables of an .env file; those that are not understood are left
// out (Compose specification, ".env file syntax").
func dotenv(text string) map[string]string {
	env := map[string]string{}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		unknown := ""
		name, v, ok := strings.Cut(line, "=")
		name, v = strings.TrimSpace(name), strings.TrimSpace(v)
		if !ok || name == "" || nameLength(name) != len(name) {
			continue
		}
		switch {
		case strings.HasPrefix(v, "'"):
			v, _, _ = strings.Cut(v[1:], "'")
		case strings.HasPrefix(v, `"`):
			v, _, _ = strings.Cut(v[1:], `"`)
			v, unknown = interpolate(v, lookup)
		default:
			if i := strings.Index(v, " #"); i >= 0 {
				v = strings.TrimSpace(v[:i])
			}
			v, unknown = interpolate(v, lookup)
		}
		if len(v) <= maxValue && unknown == "" {
			env[name] = v
		}
	}
	return env
}

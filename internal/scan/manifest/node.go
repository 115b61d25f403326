package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// overLimit is a document that would cost too much.
type overLimit struct {
	at   Place
	what string
}

func (e *overLimit) Error() string { return e.what }

// value makes a value of a node. Aliases are followed, and what they repeat counts
// again, so a document that grows without bounds ends at the limit.
func (p *parser) value(n *yaml.Node, path string, key Place, depth int) (*value, error) {
	if depth > p.lim.YAMLDepth {
		return nil, &overLimit{p.place(n, path), fmt.Sprintf("it is nested deeper than %d", p.lim.YAMLDepth)}
	}
	if p.left--; p.left < 0 {
		return nil, &overLimit{p.place(n, path), fmt.Sprintf("it has, with what its aliases repeat, more than %d values", p.lim.YAMLValues)}
	}
	v := &value{at: p.place(n, path), tag: strings.TrimPrefix(n.Tag, "tag:yaml.org,2002:")}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return v, nil
		}
		return p.value(n.Alias, path, key, depth+1)
	case yaml.MappingNode:
		v.kind = mapping
		if key.Line > 0 {
			v.at = key
		}
		return v, p.mapping(v, n, path, depth)
	case yaml.SequenceNode:
		v.kind = sequence
		if key.Line > 0 {
			v.at = key
		}
		for i, c := range n.Content {
			e, err := p.value(c, item(path, itemName(c, i)), Place{}, depth+1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, e)
		}
		return v, nil
	case yaml.ScalarNode:
		p.scalar(v, n)
		if v.kind == null && key.Line > 0 {
			v.at = key
		}
	}
	return v, nil
}

// itemName is what an item of a list is called: by its name, if it has one.
func itemName(n *yaml.Node, i int) string {
	if n.Kind == yaml.MappingNode {
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == "name" && n.Content[j+1].Kind == yaml.ScalarNode {
				return n.Content[j+1].Value
			}
		}
	}
	return strconv.Itoa(i)
}

func (p *parser) mapping(v *value, n *yaml.Node, path string, depth int) error {
	var merged []field
	seen := map[string]int{} // where each field stands
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.AliasNode && k.Alias != nil {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is no text", k.Line)
		}
		if k.Value == "<<" && (k.Tag == "!!merge" || k.Tag == "") {
			more, err := p.value(c, path, Place{}, depth+1)
			if err != nil {
				return err
			}
			merged = append(merged, mergeFields(more)...)
			continue
		}
		at := p.place(k, join(path, k.Value))
		e, err := p.value(c, at.Field, at, depth+1)
		if err != nil {
			return err
		}
		if j, ok := seen[k.Value]; ok {
			if len(p.problems) < maxRemarks {
				p.problems = append(p.problems, Problem{At: at, What: fmt.Sprintf("%s is given twice; the last one is taken, and some programs refuse the file", k.Value)})
			}
			v.fields[j].value = e
			continue
		}
		seen[k.Value] = len(v.fields)
		v.fields = append(v.fields, field{k.Value, e})
	}
	for _, f := range merged {
		if _, ok := seen[f.name]; !ok {
			seen[f.name] = len(v.fields)
			v.fields = append(v.fields, f)
		}
	}
	return nil
}

// mergeFields are the fields that a merge key brings: those of a mapping, or of a list
// of them, of which the first wins (yaml.org/type/merge).
func mergeFields(v *value) []field {
	if v.kind == mapping {
		return v.fields
	}
	var out []field
	for _, e := range v.list() {
		out = append(out, e.fields...)
	}
	return out
}

func (p *parser) scalar(v *value, n *yaml.Node) {
	v.kind, v.text, v.raw = scalar, n.Value, n.Value
	if n.Tag == "!!null" {
		v.kind = null
		return
	}
	switch {
	case p.expand != nil:
		v.text, v.unknown = p.expand(n.Value)
		if p.grown += int64(max(0, len(v.text)-len(v.raw))); p.grown > p.lim.YAMLBytes {
			v.text, v.unknown = v.raw, "its variables make more text than is read"
		}
	case templated(n.Value) && strings.HasPrefix(strings.TrimSpace(n.Value), "{"):
		v.unknown = "a template engine fills it in"
	}
}

// maxPath and maxName are how many bytes a path and a name in it have. Every value has
// its path, so without an end a long name would be kept as often as it holds values.
const (
	maxPath = 300
	maxName = 80
)

// join puts the name of a field behind a path.
func join(path, name string) string {
	switch {
	case len(path) > maxPath:
		return path
	case path == "":
		return brief(name)
	}
	return path + "." + brief(name)
}

// item puts an item of a list behind a path.
func item(path, name string) string {
	if len(path) > maxPath {
		return path
	}
	return path + "[" + brief(name) + "]"
}

// brief is a name as far as a path has it.
func brief(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "..."
}

// place is where a node stands. The parser counts columns in characters.
func (p *parser) place(n *yaml.Node, path string) Place {
	at := Place{File: p.file, Line: n.Line + p.offset, Field: path}
	if at.EndLine = at.Line; at.Line > len(p.lines) { // a break that only YAML takes for one
		at.Line, at.EndLine = len(p.lines), len(p.lines)
		return at
	}
	if at.Line < 1 {
		return at
	}
	line := p.measure(at.Line)
	start, ok := line.offset(n.Column - 1)
	if !ok {
		return at
	}
	at.Column = 1 + line.units(start)
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return at
	}
	rest, quote := line.text[start:], n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	switch {
	case quote && len(rest) > len(n.Value)+1 && rest[1:1+len(n.Value)] == n.Value:
		at.EndColumn = 1 + line.units(start+len(n.Value)+2)
	case strings.HasPrefix(rest, n.Value):
		at.EndColumn = 1 + line.units(start+len(n.Value))
	}
	return at
}

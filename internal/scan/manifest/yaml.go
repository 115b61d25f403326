package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// errTemplate is returned for a file that a template engine has to make first.
var errTemplate = errors.New("it is a template, not a manifest")

// A document is one YAML document of a file.
type document struct {
	root *value
	name string // of the file
}

// A parser makes values of the documents of one file.
type parser struct {
	file   string
	lines  []string
	offset int // lines before the document
	lim    limits.Limits
	left   int // values that may still be made, of all documents
	line   line
	// expand replaces the variables of a text; nil if the language has none.
	expand   func(string) (text, unknown string)
	grown    int64 // bytes that variables added
	problems []Problem
}

// maxRemarks is how many remarks on one file are kept.
const maxRemarks = 100

func newParser(name string, text []byte, lim limits.Limits) *parser {
	return &parser{file: name, lim: lim, left: lim.YAMLValues, lines: textLines(text)}
}

// documents returns what could be parsed; what could not is among the problems.
func (p *parser) documents() ([]document, error) {
	var out []document
	for i, c := range p.chunks() {
		if i == p.lim.YAMLDocuments {
			p.problem(Place{File: p.file, Line: c.start + 1}, "", "more than %d documents in one file; the rest is not read", p.lim.YAMLDocuments)
			break
		}
		p.offset = c.start
		dec := yaml.NewDecoder(strings.NewReader(p.text(c)))
		for {
			var n yaml.Node
			err := decode(dec, &n)
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil && len(n.Content) == 1 {
				var v *value
				v, err = p.value(n.Content[0], "", Place{}, 0)
				if err == nil && v.given() {
					out = append(out, document{v, p.file})
				}
			}
			if err != nil {
				if p.isTemplate(c) {
					return nil, errTemplate
				}
				p.malformed(err, c)
				break
			}
		}
	}
	return out, nil
}

// text is a document without the directive that says which YAML it is: all are read as
// the same.
func (p *parser) text(c chunk) string {
	lines := slices.Clone(p.lines[c.start:c.end])
	for i, line := range lines {
		if strings.HasPrefix(line, "%YAML") {
			lines[i] = "#"
		}
		if strings.HasPrefix(line, "---") {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// decode is dec.Decode, in whose errors a broken document ends however it is broken.
func decode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the YAML can't be parsed: %v", v)
		}
	}()
	return dec.Decode(n)
}

type chunk struct{ start, end int }

// chunks splits a file into documents, so that one that is broken leaves the others
// readable. A line that begins with "---" is a marker wherever it stands (YAML 1.2.2,
// 9.1.2); lines before it that begin with "%" are for the document behind it.
func (p *parser) chunks() []chunk {
	var out []chunk
	start := 0
	for i, line := range p.lines {
		line = strings.TrimRight(line, "\r")
		if line != "---" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "---\t") {
			continue
		}
		if p.blank(start, i) {
			continue // nothing before it but comments and directives
		}
		out = append(out, chunk{start, i})
		start = i
	}
	return append(out, chunk{start, len(p.lines)})
}

func (p *parser) blank(start, end int) bool {
	for _, line := range p.lines[start:end] {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "%") {
			return false
		}
	}
	return true
}

var (
	yamlLine = regexp.MustCompile(`line (\d+):? ?`)
	// fromZero are the errors whose lines the library counts from 0: those of its parser,
	// and not of its scanner.
	fromZero   = regexp.MustCompile(`did not find expected (node content|key|'-' indicator|',' or|<document start>)`)
	helmAction = regexp.MustCompile(`\{\{-?\s*(\.|\$|include|if|range|with|end|define|template|toYaml|/\*)`)
	jinjaTag   = regexp.MustCompile(`\{%-?\s*\w+|\{\{-?\s*[a-zA-Z_]`)
)

// isTemplate reports whether a document needs a template engine.
func (p *parser) isTemplate(c chunk) bool {
	text := strings.Join(p.lines[c.start:c.end], "\n")
	return helmAction.MatchString(text) || jinjaTag.MatchString(text)
}

func (p *parser) malformed(err error, c chunk) {
	at := Place{File: p.file, Line: p.unreadable(c)}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var over *overLimit
	switch m := yamlLine.FindStringSubmatchIndex(text); {
	case errors.As(err, &over):
		at = over.at
	case m != nil:
		n, _ := strconv.Atoi(text[m[2]:m[3]]) // digits
		if fromZero.MatchString(text) {
			n++
		}
		at.Line = p.offset + min(max(n, 1), len(p.lines)-p.offset)
		text = text[:m[0]] + text[m[1]:]
		if strings.Contains(text, "tab character") { // told of where the mapping begins
			at.Line = p.tab(at.Line, c)
		}
	}
	at.EndLine = at.Line
	p.problems = append(p.problems, Problem{At: at, What: "this document can't be read: " + text, Fatal: true})
}

func (p *parser) problem(at Place, hint, format string, args ...any) {
	at.EndLine = max(at.EndLine, at.Line)
	p.problems = append(p.problems, Problem{At: at, What: fmt.Sprintf(format, args...), Hint: hint, Fatal: true})
}

package manifest

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Comment is a comment of a manifest.
type Comment struct {
	Line  int    // 1-based
	Text  string // behind the #, without blanks around it
	About int    // the line that it stands behind, or else the next one that holds something; 0 if none does
	Head  bool   // nothing but comments, directives and markers of documents come before it
	Apart bool   // a blank line is between it and the line it is about
}

// Comments returns the comments of a file. What stands in a scalar is none, whatever it
// looks like (YAML 1.2.2, 6.6 and 8.1).
func (f File) Comments() []Comment {
	p := newParser(f.Name, f.Text, limits.Default())
	for _, c := range p.chunks() {
		p.offset = c.start
		dec := yaml.NewDecoder(strings.NewReader(p.text(c)))
		var docs []*yaml.Node
		for {
			var n yaml.Node
			if decode(dec, &n) != nil { // the end, or what is told when the file is read
				break
			}
			docs = append(docs, &n)
		}
		for _, n := range docs {
			p.cover(n)
		}
	}
	return p.comments()
}

// cover puts other characters in the place of what scalars hold, so that every # that is
// left behind a blank begins a comment.
func (p *parser) cover(n *yaml.Node) {
	for _, c := range n.Content {
		p.cover(c)
	}
	if i := n.Line + p.offset - 1; n.Kind == yaml.ScalarNode && i >= 0 && i < len(p.lines) {
		switch {
		case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			p.coverBlock(i, n.Value)
		case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
			p.coverQuoted(i, n)
		}
	}
}

// coverBlock covers the lines below i that hold the characters of a block scalar, of
// which only blanks are not as they are written.
func (p *parser) coverBlock(i int, value string) {
	for i < len(p.lines)-1 && !strings.ContainsAny(p.lines[i], "|>") {
		i++
	}
	for left := characters(value); left > 0 && i < len(p.lines)-1; {
		i++
		n := characters(p.lines[i])
		p.lines[i] = strings.Repeat("x", min(n, 1))
		left -= n
	}
}

func characters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// coverQuoted covers a quoted scalar that begins on the line i.
func (p *parser) coverQuoted(i int, n *yaml.Node) {
	quote := byte('"')
	if n.Style&yaml.SingleQuotedStyle != 0 {
		quote = '\''
	}
	text := []rune(p.lines[i])
	at := len(string(text[:min(max(n.Column-1, 0), len(text))]))
	start := strings.IndexByte(p.lines[i][at:], quote) // an anchor or a tag may stand before it
	if start < 0 {
		return
	}
	for at += start + 1; i < len(p.lines); i, at = i+1, 0 {
		b := []byte(p.lines[i])
		for ; at < len(b); at++ {
			switch {
			case quote == '"' && b[at] == '\\', quote == '\'' && b[at] == quote && at+1 < len(b) && b[at+1] == quote:
				b[at] = 'x'
				at++ // with what is escaped
			case b[at] == quote:
				p.lines[i] = string(b)
				return
			}
			if at < len(b) {
				b[at] = 'x'
			}
		}
		p.lines[i] = string(b)
	}
}

// comments are those of lines whose scalars are covered.
func (p *parser) comments() []Comment {
	var out []Comment
	head := true
	for i, line := range p.lines {
		before, text, found := cutComment(line)
		before = strings.TrimSpace(before)
		own := before == ""
		head = head && (own || before == "---" || strings.HasPrefix(before, "%"))
		if found {
			c := Comment{Line: i + 1, Text: strings.TrimSpace(text), Head: head}
			if !own {
				c.About = c.Line
			}
			out = append(out, c)
		}
	}
	about, blank := 0, 0 // the next line that holds something, and the last blank one before it
	next := len(out) - 1
	for i := len(p.lines) - 1; i >= 0; i-- {
		before, _, found := cutComment(p.lines[i])
		switch before = strings.TrimSpace(before); {
		case before == "" && !found:
			blank = max(blank, i+1)
		case before != "" && before != "---":
			about, blank = i+1, 0
		}
		if next >= 0 && out[next].Line == i+1 {
			if out[next].About == 0 {
				out[next].About, out[next].Apart = about, about > 0 && blank > i+1
			}
			next--
		}
	}
	return out
}

// cutComment cuts a line where its comment begins.
func cutComment(line string) (before, text string, found bool) {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

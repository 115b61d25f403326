package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// pageColumns is the widest line of text that is read with ease.
const pageColumns = 100

// A page is a rule's page, in Markdown, as it is laid out for a terminal.
type page struct {
	strings.Builder
	width int
	color bool
}

// onTerminal lays out a page in Markdown: the headings, paragraphs, lists, code blocks,
// code, links and bold words of CommonMark, as rules' pages use them.
func onTerminal(markdown string, width int, color bool) string {
	p := &page{width: min(width, pageColumns), color: color}
	if p.width < 20 {
		p.width = pageColumns
	}
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			p.paragraph(strings.Join(paragraph, " "))
		}
		paragraph = nil
	}
	code := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		heading := strings.TrimLeft(line, "#")
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			code = !code
		case code:
			p.WriteString("    " + line + "\n")
		case line == "":
			flush()
			p.WriteByte('\n')
		case heading != line && strings.HasPrefix(heading, " "):
			flush()
			p.WriteString(p.style("1", strings.TrimSpace(heading)) + "\n")
		case strings.HasPrefix(line, "- "):
			flush()
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return p.String()
}

// paragraph wraps text to the width. The further lines of a list's item are indented.
func (p *page) paragraph(text string) {
	indent := ""
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	column := 0
	for i, word := range strings.Fields(p.inline(text)) {
		n := utf8.RuneCountInString(style.ReplaceAllString(word, ""))
		switch {
		case i == 0:
		case column+1+n > p.width:
			p.WriteString("\n" + indent)
			column = len(indent)
		default:
			p.WriteByte(' ')
			column++
		}
		p.WriteString(word)
		column += n
	}
	p.WriteByte('\n')
}

var (
	style      = regexp.MustCompile("\x1b\\[[0-9]*m")
	pageLink   = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	pageMarked = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*")
)

// inline shows what stands inside a paragraph. Without colour, code keeps its quotes:
// nothing else would set it apart.
func (p *page) inline(text string) string {
	text = pageLink.ReplaceAllStringFunc(text, func(link string) string {
		m := pageLink.FindStringSubmatch(link)
		if !strings.Contains(m[2], "://") || strings.HasPrefix(m[1], "CWE-") {
			return m[1] // a place in the repository, or what is found by its number
		}
		return m[1] + " (" + m[2] + ")"
	})
	return pageMarked.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case s[0] == '*':
			return p.style("1", strings.Trim(s, "*"))
		case p.color:
			return p.style("36", strings.Trim(s, "`"))
		}
		return s
	})
}

// style gives each word of s a style (ECMA-48, 8.3.117), as lines may break between.
func (p *page) style(code, s string) string {
	if !p.color {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		words[i] = "\x1b[" + code + "m" + w + "\x1b[0m"
	}
	return strings.Join(words, " ")
}

package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	link  = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	fence = regexp.MustCompile("(?m)^```.*\n?")
	marks = strings.NewReplacer("`", "", "**", "")
)

// plain is the text of a page in Markdown, without its marks.
func plain(markdown string) string {
	s := link.ReplaceAllString(fence.ReplaceAllString(markdown, ""), "$1 ($2)")
	return strings.TrimSpace(marks.Replace(s))
}

// sentenceEnd is a period that ends a sentence: not that of "e.g." or ".env".
var sentenceEnd = regexp.MustCompile(`([^.]{4}|[^.]\))\.(\s|$)`)

// firstSentence is the first sentence of a text in Markdown, on one line.
func firstSentence(markdown string) string {
	paragraph, _, _ := strings.Cut(markdown, "\n\n")
	s := strings.Join(strings.Fields(plain(paragraph)), " ")
	if end := sentenceEnd.FindStringIndex(s); end != nil {
		s = strings.TrimRight(s[:end[1]], " ")
	}
	return s
}

// capital begins s with a capital letter, as rules' titles do not.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[size:]
}

// pascal is "RootUser" for "root-user".
func pascal(name string) string {
	var b strings.Builder
	for _, word := range strings.Split(name, "-") {
		if word != "" {
			b.WriteString(capital(word))
		}
	}
	return b.String()
}

// clip cuts a description to what code scanning services take: 1024 characters.
func clip(s string) string {
	const most = 1024
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return s
}

// nonEmpty are the texts that are not empty.
func nonEmpty(texts ...string) []string {
	var out []string
	for _, s := range texts {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

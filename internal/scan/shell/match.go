package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// Match reports whether text, which must be known, matches the pattern w (POSIX
// XCU 2.14); known is false if that can't be told.
func (s *Scope) Match(w *syntax.Word, text Word) (matches, known, loose bool) {
	var b strings.Builder
	loose = text.Loose
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
			continue
		}
		v := s.Value(&syntax.Word{Parts: []syntax.WordPart{p}})
		if !v.Known {
			return false, false, false
		}
		loose = loose || v.Loose
		if _, bare := p.(*syntax.ParamExp); bare {
			b.WriteString(v.Text)
		} else {
			b.WriteString(pattern.QuoteMeta(v.Text, 0))
		}
	}
	if b.String() == "*" {
		return true, true, false
	}
	if !text.Known || b.Len() > maxText {
		return false, false, false
	}
	re, err := pattern.Regexp(b.String(), pattern.EntireString)
	if err != nil {
		return false, false, false
	}
	compiled, err := regexp.Compile(re)
	if err != nil {
		return false, false, false
	}
	return compiled.MatchString(text.Text), true, loose
}

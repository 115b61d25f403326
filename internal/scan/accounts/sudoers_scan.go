package accounts

import (
	"iter"
	"strings"
)

// logicalLines yields the lines of a file whose lines a backslash at the end
// continues, and the number at which each begins. A comment ends with its line,
// whatever that ends with. comment returns where a comment begins in a line, or its
// length.
func logicalLines(text string, comment func(line string) int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n, first := 0, 0
		var line strings.Builder
		for l := range strings.Lines(text) {
			n++
			if line.Len() == 0 {
				first = n
			}
			l = strings.TrimRight(l, "\r\n")
			l, bare := l[:comment(l)], len(l) > comment(l)
			trimmed := strings.TrimRight(l, " \t")
			if !bare && strings.HasSuffix(trimmed, `\`) && !strings.HasSuffix(trimmed, `\\`) {
				line.WriteString(strings.TrimSuffix(trimmed, `\`) + " ")
				continue
			}
			line.WriteString(l)
			if !yield(first, line.String()) {
				return
			}
			line.Reset()
		}
		if line.Len() > 0 {
			yield(first, line.String())
		}
	}
}

// sudoersComment returns where a comment begins in a line of sudoers(5), or the
// line's length. A number sign with a number is a user, and at the start of the line
// it may be a directive.
func sudoersComment(line string) int {
	if strings.HasPrefix(line, "#include ") || strings.HasPrefix(line, "#include\t") ||
		strings.HasPrefix(line, "#includedir ") || strings.HasPrefix(line, "#includedir\t") {
		return len(line)
	}
	return comment(line, func(rest string) bool { return !isID(rest) })
}

// comment returns where the first number sign stands that is not quoted, escaped or
// something else than the start of a comment; the line's length if none does.
func comment(line string, starts func(rest string) bool) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '#' && !quoted && starts(line[i:]):
			return i
		}
	}
	return len(line)
}

// isID reports whether s begins with a uid or gid as sudoers(5) writes it: "#1000".
func isID(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "#"), "-")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// A scanner takes a line of sudoers(5) apart.
type scanner struct {
	line string
	at   int
}

func (s *scanner) blanks() {
	for s.at < len(s.line) && (s.line[s.at] == ' ' || s.line[s.at] == '\t') {
		s.at++
	}
}

// rest is what follows, blanks left out.
func (s *scanner) rest() string {
	s.blanks()
	return s.line[s.at:]
}

// take skips one of the characters of set, if it comes next, and says which; 0 if
// none does.
func (s *scanner) take(set string) byte {
	if r := s.rest(); r != "" && strings.IndexByte(set, r[0]) >= 0 {
		s.at++
		return r[0]
	}
	return 0
}

// until reads up to the first of the characters of stop. A backslash stands before
// one that is meant as it is.
func (s *scanner) until(stop string) (text string, escaped bool) {
	var b strings.Builder
	for ; s.at < len(s.line) && strings.IndexByte(stop, s.line[s.at]) < 0; s.at++ {
		if s.line[s.at] == '\\' && s.at+1 < len(s.line) {
			s.at++
			if escaped = true; strings.IndexByte("*?[]", s.line[s.at]) >= 0 {
				b.WriteByte('\\') // part of a pattern
			}
		}
		b.WriteByte(s.line[s.at])
	}
	return b.String(), escaped
}

// quoted reads what is left of a string in double quotes.
func (s *scanner) quoted() (string, bool) {
	text, _ := s.until(`"`)
	return text, s.take(`"`) != 0
}

// word reads a name, in double quotes or not. What is quoted or escaped is no
// reserved word and no alias.
func (s *scanner) word(stop string) (m member, ok bool) {
	for s.take("!") != 0 {
		m.not = !m.not
	}
	if s.take(`"`) != 0 {
		m.literal = true
		m.name, ok = s.quoted()
		return m, ok && m.name != ""
	}
	if strings.HasPrefix(s.rest(), "%:") { // a group that only a plugin knows
		s.at += 2
		m.name = "%:"
	}
	name, escaped := s.until(stop)
	m.name += name
	m.literal = escaped
	return m, name != ""
}

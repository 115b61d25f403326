package dockerfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

var (
	bom     = []byte("\xef\xbb\xbf")
	utf16LE = []byte{0xff, 0xfe}
	utf16BE = []byte{0xfe, 0xff}
)

// decode returns the text of a Dockerfile with LF line ends and without byte
// order mark. What no builder could read as text is an error.
func decode(b []byte, lim limits.Limits) ([]byte, error) {
	switch {
	case int64(len(b)) > lim.DockerfileBytes:
		return nil, fmt.Errorf("it is over %d bytes (--max-dockerfile-bytes)", lim.DockerfileBytes)
	case bytes.HasPrefix(b, utf16LE), bytes.HasPrefix(b, utf16BE):
		return nil, errors.New("it is UTF-16; save it as UTF-8")
	case bytes.HasPrefix(b, append(bom, bom...)):
		return nil, errors.New("it starts with two byte order marks; save it again as UTF-8")
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return nil, fmt.Errorf("it has a NUL byte at offset %d; a Dockerfile is UTF-8 text", i)
	}
	b = bytes.ReplaceAll(bytes.TrimPrefix(b, bom), []byte("\r\n"), []byte("\n"))
	if bytes.IndexByte(b, '\r') >= 0 && bytes.IndexByte(b, '\n') < 0 {
		return nil, errors.New("its lines end with a bare carriage return; save it with LF line ends")
	}
	return b, nil
}

// A source is the text of a Dockerfile in lines. Lines that were found unfit are
// blanked, so the lines after them keep their numbers.
type source struct {
	path   string
	lines  []string
	escape byte
	lim    limits.Limits
}

func newSource(path string, b []byte, lim limits.Limits) *source {
	s := &source{path: path, lines: strings.Split(string(b), "\n"), escape: '\\', lim: lim}
	for _, l := range s.lines {
		name, value, ok := strings.Cut(strings.TrimLeft(l, " \t"), "=")
		if !strings.HasPrefix(name, "#") || !ok {
			break
		}
		if strings.EqualFold(strings.TrimSpace(name[1:]), "escape") && strings.TrimSpace(value) == "`" {
			s.escape = '`'
		}
	}
	return s
}

// screen blanks the instructions that would cost the parser too much, or that
// show a reader something else than they say. It knows nothing of heredocs: each
// line of a body is looked at as if it were an instruction.
func (s *source) screen() []Problem {
	var out []Problem
	for start := 0; start < len(s.lines); {
		end := s.end(start)
		what := s.unfit(s.lines[start:end])
		if what != "" {
			out = append(out, s.problem(start+1, end, what, ""))
			s.blank(start+1, end)
		}
		for i := start; i < end; i++ {
			if !utf8.ValidString(s.lines[i]) {
				s.lines[i] = strings.ToValidUTF8(s.lines[i], "\uFFFD")
				p := s.problem(i+1, i+1, "the line has bytes that are not UTF-8", "save the file as UTF-8")
				p.Fatal = false
				out = append(out, p)
			}
		}
		start = end
	}
	return out
}

// end returns the index of the line after the instruction that starts at i.
func (s *source) end(i int) int {
	for start := i; i < len(s.lines); i++ {
		l := strings.TrimRight(s.lines[i], " \t")
		switch {
		case idle(l) && i == start:
			return i + 1
		case idle(l):
		case !strings.HasSuffix(l, string(s.escape)) || strings.HasSuffix(l, string([]byte{s.escape, s.escape})):
			return i + 1
		}
	}
	return i
}

// idle reports whether a line is blank or a comment, which may stand within a
// continued instruction.
func idle(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return line == "" || line[0] == '#'
}

func (s *source) unfit(lines []string) string {
	var length, words int
	for i, l := range lines {
		switch {
		case len(l) >= min(s.lim.LineBytes, bufio.MaxScanTokenSize-1): // what the parser can take
			return fmt.Sprintf("line %d of it is over %d bytes", i+1, s.lim.LineBytes)
		case strings.Contains(l, "\r"):
			return "it has a bare carriage return, which hides text on a terminal"
		}
		if !idle(l) {
			length, words = length+len(l), words+fields(l)
		}
	}
	switch {
	case length > s.lim.InstructionBytes:
		return fmt.Sprintf("it is over %d bytes", s.lim.InstructionBytes)
	case words > s.lim.InstructionWords:
		return fmt.Sprintf("it has over %d words", s.lim.InstructionWords)
	case nesting(lines...) > s.lim.SubstitutionDepth:
		return fmt.Sprintf("it nests ${ deeper than %d", s.lim.SubstitutionDepth)
	case s.triggers(lines) > 2:
		return "it nests ONBUILD, which no builder takes"
	}
	return ""
}

// triggers counts the words ONBUILD of an ONBUILD, which the parser takes for
// triggers of triggers, wherever flags stand between them. It reads each level
// anew, so its time grows with the square of their number.
func (s *source) triggers(lines []string) int {
	var b strings.Builder
	for _, l := range lines {
		if !idle(l) {
			b.WriteString(strings.TrimSuffix(strings.TrimRight(l, " \t"), string(s.escape)))
		}
	}
	n := 0
	for word := range strings.FieldsSeq(b.String()) {
		switch {
		case strings.EqualFold(word, "ONBUILD"):
			n++
		case n == 0:
			return 0
		}
	}
	return n
}

// blank empties lines start to end, 1-based and inclusive.
func (s *source) blank(start, end int) {
	for i := max(start, 1); i <= min(end, len(s.lines)); i++ {
		s.lines[i-1] = ""
	}
}

func (s *source) problem(start, end int, what, hint string) Problem {
	return Problem{Span: Span{s.path, start, end}, What: what, Hint: hint, Fatal: true}
}

func fields(s string) int {
	n, in := 0, false
	for i := range len(s) {
		blank := s[i] == ' ' || s[i] == '\t'
		if !blank && !in {
			n++
		}
		in = !blank
	}
	return n
}

// nesting returns how deep substitutions nest, at most: quotes and escapes are
// not looked at.
func nesting(texts ...string) int {
	deepest, depth := 0, 0
	for _, t := range texts {
		for i := range len(t) {
			switch {
			case t[i] == '{' && i > 0 && t[i-1] == '$':
				depth++
				deepest = max(deepest, depth)
			case t[i] == '}' && depth > 0:
				depth--
			}
		}
	}
	return deepest
}

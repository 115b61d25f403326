package dockerfile

import "strings"

// A Comment is one line of a Dockerfile that is a comment.
type Comment struct {
	Line  int    // 1-based
	Text  string // behind the #, without blanks around it
	Instr *Instr // the instruction that it stands before or in; nil at the end of the file
	In    bool   // it stands between the lines of Instr
	Head  bool   // no instruction is before it
	Apart bool   // a blank line is between it and Instr
}

// comments returns the comments of the lines, directives included. What a heredoc
// holds is none.
func comments(lines []string, f *File) []Comment {
	all := f.all()
	var out []Comment
	next := 0              // the first of all that ends at or behind the line
	parted, blank := -1, 0 // the last blank line before all[parted]
	for i, line := range lines {
		n := i + 1
		for next < len(all) && all[next].Span.End < n {
			next++
		}
		text, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#")
		if !ok {
			continue
		}
		c := Comment{Line: n, Text: strings.TrimSpace(text), Head: next == 0}
		if next < len(all) {
			c.Instr, c.In = all[next], n >= all[next].Span.Start
		}
		if c.In && c.Instr.holds(n) {
			continue
		}
		if c.Instr != nil && !c.In {
			if parted != next {
				parted, blank = next, lastBlank(lines[:c.Instr.Span.Start-1])
			}
			c.Apart = blank > n
		}
		c.Head = c.Head && !c.In
		out = append(out, c)
	}
	return out
}

// all returns the instructions in the order of their lines.
func (f *File) all() []*Instr {
	out := append([]*Instr(nil), f.Globals...)
	for _, s := range f.Stages {
		out = append(append(out, s.From), s.Instrs...)
	}
	return out
}

// holds reports whether a line is in one of the instruction's heredocs.
func (in *Instr) holds(line int) bool { return len(in.Heredocs) > 0 && line >= in.Heredocs[0].Line }

// lastBlank is the number of the last blank line; 0 if there is none.
func lastBlank(lines []string) int {
	for n := len(lines); n > 0; n-- {
		if strings.TrimSpace(lines[n-1]) == "" {
			return n
		}
	}
	return 0
}

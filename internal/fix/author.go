package fix

import (
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// lines are whole lines of a Dockerfile, their ends included.
func lines(s dockerfile.Span) dockerfile.Range {
	return dockerfile.Range{Start: dockerfile.Pos{Line: s.Start, Column: 1}, End: dockerfile.Pos{Line: s.End + 1, Column: 1}}
}

// before is the place where lines go that are to stand before a line.
func before(line int) dockerfile.Range {
	at := dockerfile.Pos{Line: line, Column: 1}
	return dockerfile.Range{Start: at, End: at}
}

// point is the end of a range.
func point(r dockerfile.Range) dockerfile.Range { return dockerfile.Range{Start: r.End, End: r.End} }

func edit(in *dockerfile.Instr, at dockerfile.Range, text string) scan.Edit {
	return scan.Edit{Path: in.Span.Path, At: at, New: text}
}

// one is a fix of one edit; nil if its place is not known.
func one(what string, safe bool, e scan.Edit) *scan.Fix {
	if e.At.IsZero() {
		return nil
	}
	return &scan.Fix{Description: what, Edits: []scan.Edit{e}, Safe: safe}
}

// Without takes flags off an instruction; it is nil if one can't be told apart.
func Without(b *dockerfile.Build, in *dockerfile.Instr, safe bool, flags ...string) *scan.Fix {
	l := b.File.Layout(in)
	f := &scan.Fix{Safe: safe}
	var what []string
	for _, name := range flags {
		at := l.FlagGap(name)
		if at.IsZero() || l.Flag(name) == (dockerfile.Range{}) {
			return nil
		}
		f.Edits = append(f.Edits, edit(in, at, ""))
		what = append(what, name)
	}
	scan.SortEdits(f.Edits)
	f.Description = "remove " + strings.Join(what, " and ")
	return f
}

// Flag gives a flag of an instruction another value.
func Flag(b *dockerfile.Build, in *dockerfile.Instr, safe bool, name, value string) *scan.Fix {
	return one("write "+name+"="+value, safe, edit(in, b.File.Layout(in).Flag(name), name+"="+value))
}

// Argument replaces all that follows the flags of an instruction.
func Argument(b *dockerfile.Build, in *dockerfile.Instr, safe bool, text string) *scan.Fix {
	return one("write "+in.Cmd+" "+text, safe, edit(in, b.File.Layout(in).Args(), text))
}

// Beside lets a compileall of a RUN write the bytecode where the sources are.
func Beside(b *dockerfile.Build, in *dockerfile.Instr) *scan.Fix {
	const word = "compileall"
	if in == nil || in.Exec || len(in.Heredocs) > 0 || strings.Count(in.Text, word) != 1 {
		return nil
	}
	at := b.File.Layout(in).Mention(word)
	if at.IsZero() {
		return nil
	}
	return one("compile with -b, which puts the bytecode where Python looks without sources", true, edit(in, point(at), " -b"))
}

// Ignored keeps files of the build context out of it by their name, wherever they are.
func Ignored(end dockerfile.IgnoreEnd, name string, safe bool) *scan.Fix {
	if end.Path == "" || !plainName.MatchString(name) {
		return nil
	}
	entry := "**/" + name + "\n"
	if end.At.Column > 1 {
		entry = "\n" + entry
	}
	return one("keep "+name+" out of the build context", safe, scan.Edit{Path: end.Path, At: dockerfile.Range{Start: end.At, End: end.At}, New: entry})
}

// plainName is a name that is no pattern.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._@+-]+$`)

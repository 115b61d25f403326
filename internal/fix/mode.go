package fix

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Mode gives a chmod of a RUN the least mode that works: what everyone may write is
// left for its owner to write, and a directory that others need stays open for them
// with the sticky bit. It is nil if the mode can't be told apart or is none that gives
// such a right.
func Mode(b *dockerfile.Build, c dockerfile.Chmod, sticky, safe bool) *scan.Fix {
	in := c.Step.Instr
	mode := least(c.Mode)
	if sticky && !c.Deep {
		mode = sticks(c.Mode)
	}
	if mode == "" || in.Exec || in.Cmd != "RUN" {
		return nil
	}
	l := b.File.Layout(in)
	text, at := l.Command()
	f, err := shell.Parse(text)
	if err != nil {
		return nil
	}
	var found []*syntax.Word
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 2 && path.Base(call.Args[0].Lit()) == "chmod" {
			for _, w := range call.Args[1:] {
				if w.Lit() == c.Mode && names(call.Args, c.Path) {
					found = append(found, w)
				}
			}
		}
		return true
	})
	if len(found) != 1 {
		return nil
	}
	word := l.Between(at+int(found[0].Pos().Offset()), at+int(found[0].End().Offset()))
	return one(fmt.Sprintf("write mode %s", mode), safe, edit(in, word, mode))
}

// names reports whether a command names a path, or may by a relative one.
func names(args []*syntax.Word, p string) bool {
	for _, a := range args[2:] {
		if text := a.Lit(); text != "" && (path.Clean(text) == p || !path.IsAbs(text) && strings.HasSuffix(p, "/"+path.Clean(text))) {
			return true
		}
	}
	return false
}

// LeastFlag gives the --chmod of a COPY or ADD the least mode that works.
func LeastFlag(b *dockerfile.Build, in *dockerfile.Instr, safe bool) *scan.Fix {
	for _, f := range in.Flags {
		if mode, ok := strings.CutPrefix(f, "--chmod="); ok && least(mode) != "" {
			return Flag(b, in, safe, "--chmod", least(mode))
		}
	}
	return nil
}

var (
	octal    = regexp.MustCompile(`^0?[0-7]{3,4}$`)
	symbolic = regexp.MustCompile(`^([ugoa]*)([+=])([rwxX]+)$`)
)

// least is a mode without the right of group and others to write; empty if it gives
// none, or is of a form that is not read.
func least(mode string) string {
	if octal.MatchString(mode) {
		n, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || n&0o022 == 0 {
			return ""
		}
		return fmt.Sprintf("%0*o", len(mode), n&^0o022)
	}
	m := symbolic.FindStringSubmatch(mode)
	if m == nil || !strings.Contains(m[3], "w") || !strings.ContainsAny(m[1], "goa") {
		return ""
	}
	who := strings.NewReplacer("u", "", "a", "go").Replace(m[1])
	out := "u" + m[2] + m[3]
	if rest := strings.ReplaceAll(m[3], "w", ""); rest != "" {
		out += "," + who + m[2] + rest
	}
	return out
}

// sticks is a mode with the sticky bit.
func sticks(mode string) string {
	switch n, err := strconv.ParseUint(mode, 8, 32); {
	case octal.MatchString(mode) && err == nil && n&0o002 != 0:
		return fmt.Sprintf("%o", n|0o1000)
	case symbolic.MatchString(mode) && strings.Contains(mode, "w") && strings.ContainsAny(mode, "oa"):
		return mode + ",+t"
	}
	return ""
}

package launch

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// positional is "$@" after set(1): its operands, if it has any.
func positional(words, old []shell.Word) []shell.Word {
	for i, w := range words {
		switch {
		case w.Known && w.Text == "--":
			return words[i+1:]
		case !w.Known || w.Text == "" || w.Text[0] != '-' && w.Text[0] != '+':
			if i > 0 && (words[i-1].Text == "-o" || strings.HasSuffix(words[i-1].Text, "o")) {
				continue // the name of an option
			}
			return words[i:]
		}
	}
	return old
}

// allExport reports whether variables are exported as they are set, after set(1).
func allExport(words []shell.Word, all bool) bool {
	for i, w := range words {
		switch {
		case w.Text == "--" || i == 0 && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+"):
			return all
		case w.Text == "-a" || w.Text == "allexport" && i > 0 && words[i-1].Text == "-o":
			all = true
		case w.Text == "+a" || w.Text == "allexport" && i > 0 && words[i-1].Text == "+o":
			all = false
		case strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "a"):
			all = true
		}
	}
	return all
}

func (s *script) unset(c *syntax.CallExpr, args []shell.Word, st *state) {
	for _, w := range args {
		switch {
		case w.Known && w.Text == "-f":
			return
		case w.Known && !strings.HasPrefix(w.Text, "-"):
			s.set(c, w.Text, unset, st)
		case !w.Known:
			for _, name := range s.watched {
				if x, ok := st.vars[name]; ok {
					x.maybe = true
					st.vars[name] = x
				}
			}
		}
	}
}

// trap takes what is to run at a signal, or in the end, for something that the
// shell starts besides.
func (s *script) trap(c *syntax.CallExpr, words []shell.Word, st *state) *state {
	if len(words) < 2 || !words[0].Known || words[0].Text == "" || strings.HasPrefix(words[0].Text, "-") {
		return st
	}
	f, err := shell.Parse(words[0].Text)
	if err != nil || s.calls >= maxCalls {
		return st
	}
	here := s.place(c)
	s.calls++
	s.inside(s.file, &here, func() *state {
		return s.subshell(st, false, func(st *state) *state { return s.list(f.Stmts, st) })
	})
	s.calls--
	return st
}

// alias takes a command that a shell but Bash takes for another one as not known.
func (s *script) alias(words []shell.Word, st *state) {
	for _, w := range words {
		if name, _, ok := strings.Cut(w.Text, "="); ok && w.Known && s.bash != accounts.Yes {
			st.funcs[name] = function{}
		}
	}
}

func shift(words, args []shell.Word) []shell.Word {
	n := 1
	if len(words) > 0 {
		var err error
		if n, err = strconv.Atoi(words[0].Text); err != nil || n < 0 {
			return []shell.Word{{Text: `"$@"`, Any: true}}
		}
	}
	for ; n > 0 && len(args) > 0 && !args[0].Any; n-- {
		args = args[1:]
	}
	return args
}

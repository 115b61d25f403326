package dockerfile

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// successes are commands that succeed whatever went before.
var successes = []string{"true", ":", "echo", "printf", "continue", "break", "sleep", "date", "pwd"}

// last returns the words of the command that decides a statement's status, and
// whether other commands run before it; nil if that is no simple command.
func last(s *syntax.Stmt) (words []arg, others bool) {
	for s != nil {
		if s.Negated || s.Background {
			return nil, others
		}
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			return literalArgs(c.Args), others
		case *syntax.Block:
			others = others || len(c.Stmts) > 1
			s = c.Stmts[len(c.Stmts)-1]
		case *syntax.Subshell:
			others = others || len(c.Stmts) > 1
			s = c.Stmts[len(c.Stmts)-1]
		case *syntax.BinaryCmd:
			if c.Op != syntax.AndStmt {
				return nil, others
			}
			s, others = c.Y, true
		default:
			return nil, others
		}
	}
	return nil, others
}

// recovers reports whether a statement behind || surely succeeds.
func (x *statusReader) recovers(s *syntax.Stmt) bool {
	words, others := last(s)
	if len(words) == 0 {
		return false
	}
	switch name := words[0].text; name {
	case "exit", "return":
		return len(words) > 1 && words[1].text == "0" || len(words) == 1 && others
	case "set":
		return true
	default:
		return words[0].known && slices.Contains(successes, name)
	}
}

// exits reports whether a statement surely ends the script with a failure.
func (x *statusReader) exits(s *syntax.Stmt) bool {
	words, others := last(s)
	if len(words) == 0 || words[0].text != "exit" && words[0].text != "return" {
		return false
	}
	if len(words) == 1 {
		return !others // the status of what failed
	}
	return words[1].text != "0"
}

// quote returns a statement for a message, if it is one that can't hold a secret.
func quote(s *syntax.Stmt) string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok {
		var words []string
		for _, a := range literalArgs(c.Args) {
			words = append(words, a.text)
		}
		switch text := strings.Join(words, " "); text {
		case "true", ":", "continue", "break", "exit 0", "return 0", "set +e":
			return text
		}
		if len(words) > 0 && slices.Contains(successes, words[0]) {
			return words[0]
		}
	}
	return "what stands there"
}

package launch

import (
	"strconv"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// testWords evaluates the operands of test(1) (POSIX XCU): -o binds least.
func (t *tracer) testWords(words []shell.Word) accounts.Answer {
	for _, w := range words {
		if w.Any {
			return accounts.Unknown
		}
	}
	for i := 1; i < len(words)-1 && len(words) > 3; i++ {
		if words[i].Known && words[i].Text == "-o" {
			return or(t.testWords(words[:i]), t.testWords(words[i+1:]))
		}
	}
	for i := 1; i < len(words)-1 && len(words) > 3; i++ {
		if words[i].Known && words[i].Text == "-a" {
			return and(t.testWords(words[:i]), t.testWords(words[i+1:]))
		}
	}
	switch {
	case len(words) == 0:
		return accounts.No
	case len(words) > 1 && words[0].Known && words[0].Text == "!":
		return not(t.testWords(words[1:]))
	case len(words) == 1:
		return t.decided(words[0].Text != "", words[0].Known, words[0].Loose)
	case len(words) == 2:
		return t.unary(words[0].Text, words[1])
	case len(words) == 3 && words[1].Known:
		return t.compare(words[0], words[1].Text, words[2])
	}
	return accounts.Unknown
}

func (t *tracer) unary(op string, w shell.Word) accounts.Answer {
	empty := t.decided(w.Text == "", w.Known, w.Loose)
	switch op {
	case "-z":
		return empty
	case "-n":
		return not(empty)
	}
	return accounts.Unknown
}

func (t *tracer) compare(a shell.Word, op string, b shell.Word) accounts.Answer {
	known, loose := a.Known && b.Known, a.Loose || b.Loose
	switch op {
	case "=", "==":
		return t.decided(a.Text == b.Text, known, loose)
	case "!=":
		return t.decided(a.Text != b.Text, known, loose)
	}
	x, errX := strconv.Atoi(a.Text)
	y, errY := strconv.Atoi(b.Text)
	known = known && errX == nil && errY == nil
	switch op {
	case "-eq":
		return t.decided(x == y, known, loose)
	case "-ne":
		return t.decided(x != y, known, loose)
	case "-lt", "<":
		return t.decided(x < y, known, loose)
	case "-le", "<=":
		return t.decided(x <= y, known, loose)
	case "-gt", ">":
		return t.decided(x > y, known, loose)
	case "-ge", ">=":
		return t.decided(x >= y, known, loose)
	}
	return accounts.Unknown
}

package leak

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// Dumped returns the files to which a script writes the environment of its build, in
// order. One that it removes again is left out; "" is one whose name is not known.
func Dumped(script string) []string {
	f, err := shell.Parse(script)
	if err != nil {
		return nil
	}
	var out outputs
	syntax.Walk(f, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			out.add(dumps(s)...)
			out.remove(s)
		}
		return true
	})
	return out.staying()
}

// dumps returns the files to which one command, or a pipe, writes the environment.
func dumps(s *syntax.Stmt) []string {
	var out []string
	if prints(s) {
		out = targets(s)
	}
	if c, ok := s.Cmd.(*syntax.BinaryCmd); ok && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && prints(c.X) {
		out = append(append(out, targets(c.Y)...), teed(c.Y)...)
	}
	return out
}

// prints reports whether a command writes the whole environment to its output.
func prints(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return printing(c.Stmts)
	case *syntax.Subshell:
		return printing(c.Stmts)
	case *syntax.BinaryCmd:
		return (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && prints(c.X)
	case *syntax.DeclClause:
		return declares(c)
	}
	words := call(s)
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch path.Base(words[0].Text) {
	case "env":
		return len(args) == 0 || len(args) == 1 && (args[0].Text == "-0" || args[0].Text == "--null")
	case "printenv", "set":
		return len(args) == 0
	case "cat":
		return len(args) == 1 && (args[0].Text == "/proc/self/environ" || args[0].Text == "/proc/1/environ")
	}
	return false
}

func printing(list []*syntax.Stmt) bool {
	for _, s := range list {
		if len(s.Redirs) == 0 && prints(s) {
			return true
		}
	}
	return false
}

// declares reports whether export, declare or typeset list all variables.
func declares(c *syntax.DeclClause) bool {
	for _, a := range c.Args {
		if !a.Naked || a.Name != nil {
			return false
		}
	}
	return c.Variant.Value == "export" || c.Variant.Value == "declare" || c.Variant.Value == "typeset"
}

func call(s *syntax.Stmt) []shell.Word {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	words := unset.Expand(c.Args...)
	if len(words) > 0 && words[0].Text == "sudo" {
		words = words[1:]
	}
	return words
}

// targets returns the files to which a command's output goes.
func targets(s *syntax.Stmt) []string {
	var out []string
	for _, r := range s.Redirs {
		if r.N != nil && r.N.Value != "1" {
			continue
		}
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			out = append(out, regular(unset.Value(r.Word))...)
		}
	}
	return out
}

// teed returns the files that tee writes.
func teed(s *syntax.Stmt) []string {
	words := call(s)
	if len(words) == 0 || path.Base(words[0].Text) != "tee" {
		return nil
	}
	var out []string
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.Text, "-") {
			out = append(out, regular(w)...)
		}
	}
	return out
}

// regular returns the name of a file that stays: none of a device.
func regular(w shell.Word) []string {
	switch {
	case !w.Known:
		return []string{""}
	case strings.HasPrefix(w.Text, "/dev/"), strings.HasPrefix(w.Text, "/proc/"):
		return nil
	}
	return []string{w.Text}
}

package dockerfile

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output returns what a command prints, if all it does is print; nil if the text
// is not known.
func (r *session) output(s *syntax.Stmt) (text *string, ok bool) {
	c, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall || len(c.Args) == 0 {
		return nil, false
	}
	switch c.Args[0].Lit() {
	case "cat":
		if len(c.Args) > 1 {
			return nil, false
		}
		for _, rd := range s.Redirs {
			if rd.Op == syntax.Hdoc || rd.Op == syntax.DashHdoc {
				return r.heredoc(rd), true
			}
		}
	case "echo":
		return echo(r.args(c.Args[1:])), true
	case "printf":
		return printf(r.args(c.Args[1:])), true
	}
	return nil, false
}

func (r *session) heredoc(rd *syntax.Redirect) *string {
	if rd.Hdoc == nil {
		return new(string)
	}
	quoted := len(rd.Word.Parts) != 1 || rd.Word.Lit() == "" || strings.Contains(rd.Word.Lit(), `\`)
	var b strings.Builder
	for _, p := range rd.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			text := l.Value
			if !quoted {
				text = strings.NewReplacer(`\$`, "$", "\\`", "`", `\\`, `\`, "\\\n", "").Replace(text)
			}
			b.WriteString(text)
			continue
		}
		v := r.scope().Value(&syntax.Word{Parts: []syntax.WordPart{p}})
		if !v.Known {
			return nil
		}
		b.WriteString(v.Text)
	}
	text := b.String()
	return &text
}

// echo returns what echo prints. Shells differ on backslashes, so text with one
// is not known.
func echo(args []arg) *string {
	end := "\n"
	for len(args) > 0 && (args[0].text == "-n" || args[0].text == "-e") {
		if args[0].text == "-n" {
			end = ""
		}
		args = args[1:]
	}
	var words []string
	for _, a := range args {
		if !a.known || a.glob != "" || strings.Contains(a.text, `\`) {
			return nil
		}
		words = append(words, a.text)
	}
	text := strings.Join(words, " ") + end
	return &text
}

// printf returns what a format without conversions, or "%s\n", prints.
func printf(args []arg) *string {
	if len(args) == 0 || slices.ContainsFunc(args, func(a arg) bool { return !a.known }) {
		return nil
	}
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`)
	format, text := args[0].text, ""
	switch {
	case !strings.Contains(format, "%") && len(args) == 1:
		text = unescape.Replace(format)
	case format == `%s\n` || format == "%s":
		for _, a := range args[1:] {
			text += a.text + unescape.Replace(format[2:])
		}
	default:
		return nil
	}
	return &text
}

// redirect makes the files that a command's output goes to; out is nil if the
// output is not known.
func (r *session) redirect(redirs []*syntax.Redirect, out *string) {
	for _, rd := range redirs {
		add := false
		switch rd.Op {
		case syntax.AppOut, syntax.AppAll:
			add = true
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		default:
			continue
		}
		text := out
		if rd.N != nil && rd.N.Value != "1" {
			text = nil
		}
		for _, p := range r.targets(r.args([]*syntax.Word{rd.Word}), "output that goes to a file whose name is a variable") {
			r.write(p, text, add)
		}
	}
}

// write writes text, nil if it is not known, to the file p, or adds it.
func (r *session) write(p string, text *string, add bool) {
	if within(p, "/dev") || within(p, "/proc") || r.layer.dir(p) {
		return
	}
	p = r.real(p, true)
	f := Add{Path: p, Mode: 0o644}
	f.own(r.step.User)
	n := r.at(p)
	if n != nil {
		f = *n.file
		f.Open, f.Base, f.Size = nil, nil, 0
	}
	switch {
	case text == nil:
	case !add, n == nil && r.new(p):
		f.content(*text)
	case n != nil && n.file.text != nil && len(*n.file.text) <= maxValue:
		f.content(*n.file.text + *text)
	}
	r.store(f)
}

// new reports whether a path that is not known can't be a file of the base
// either, because the build made its directory.
func (r *session) new(p string) bool {
	dir := r.at(path.Dir(p))
	return !r.partial || dir != nil && dir.file != nil
}

// pipe follows "x | y". What x prints is what tee writes; what find prints is
// what xargs passes on.
func (r *session) pipe(c *syntax.BinaryCmd) {
	text, prints := r.output(c.X)
	x, isCall := c.X.Cmd.(*syntax.CallExpr)
	y, isCallToo := c.Y.Cmd.(*syntax.CallExpr)
	if isCall && isCallToo && len(x.Args) > 0 && len(y.Args) > 0 && x.Args[0].Lit() == "find" && y.Args[0].Lit() == "xargs" {
		command := leading(r.args(y.Args[1:]), "-n -P -L -d -a -s -E")
		if found, ok := r.find(r.args(x.Args[1:]), false); ok && len(command) > 0 && !strings.Contains(literals(y), "-I") {
			r.execute(append(command, arguments(found)...))
			return
		}
	}
	if !prints {
		r.apart(func() { r.stmt(c.X) })
	}
	before := r.stdin
	r.stdin = text
	r.apart(func() { r.stmt(c.Y) })
	r.stdin = before
}

func literals(c *syntax.CallExpr) string {
	var out []string
	for _, w := range c.Args {
		out = append(out, w.Lit())
	}
	return strings.Join(out, " ")
}

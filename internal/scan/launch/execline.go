package launch

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// An item is a word of an execline script, or a block in braces.
type item struct {
	word  shell.Word
	block []item
	brace bool
}

// execlineb follows an execline script: a chain of programs, each of which runs the
// rest (skarnet.org, execline).
func (t *tracer) execlineb(c *call) {
	words := c.argv[1:]
	for len(words) > 0 && words[0].Known && strings.HasPrefix(words[0].Text, "-") {
		if words[0].Text == "-c" && len(words) > 1 && words[1].Known {
			t.chained(*c, parseExecline(words[1].Text))
			return
		}
		words = words[1:]
	}
	var f *image.File
	if len(words) > 0 && words[0].Known {
		f = t.lookup(absolute(c.dir, words[0].Text))
	}
	text, ok := services.Of(f)
	if !ok {
		t.hide(c, "the execline script was not read")
		return
	}
	c.at = Place{f, 0}
	t.runs(Link{Path: f.Path, File: f, By: c.at}, c.proc)
	t.chained(*c, parseExecline(text.String()))
}

// operands are how many words some programs of execline take before the rest, without
// their options.
var operands = map[string]int{
	"with-contenv": 0, "cd": 1, "execline-cd": 1, "umask": 1, "execline-umask": 1, "fdmove": 2, "fdclose": 1, "fdswap": 2,
	"redirfd": 2, "exec": 0, "export": 2, "unexport": 1, "emptyenv": 0, "define": 2, "s6-envdir": 1,
	"importas":   2, //nolint:misspell // a program of execline
	"foreground": 0, "background": 0, "if": 0, "backtick": 1, "s6-notifyoncheck": 0, "s6-softlimit": 0,
}

// chained follows one program of a chain after the other.
func (t *tracer) chained(c call, items []item) {
	for range 200 {
		if len(items) == 0 {
			return
		}
		name := path.Base(items[0].word.Text)
		n, known := operands[name]
		if !known || !items[0].word.Known {
			break
		}
		items = items[1:]
		for len(items) > 0 && strings.HasPrefix(items[0].word.Text, "-") {
			items = items[1:]
		}
		if len(items) < n {
			break
		}
		var args []shell.Word
		for _, i := range items[:n] {
			args = append(args, i.word)
		}
		items = items[n:]
		if len(items) > 0 && items[0].brace {
			t.block(c, items[0].block)
			items = items[1:]
		}
		t.link(&c, name, args)
	}
	c.argv = nil
	for _, i := range items {
		if i.brace {
			t.hide(&c, "an execline program with a block, %s, is not followed", items[0].word.Name())
			return
		}
		c.argv = append(c.argv, i.word)
	}
	t.follow(c)
}

// block follows what a program of a chain runs besides.
func (t *tracer) block(c call, items []item) {
	c.aside, c.told = true, true
	if t.depth >= maxScripts {
		return
	}
	t.depth++
	t.chained(c, items)
	t.depth--
}

// link does what a program of a chain does to those that come after it.
func (t *tracer) link(c *call, name string, args []shell.Word) {
	switch name {
	case "with-contenv":
		t.contained(c)
	case "s6-envdir":
		t.operand(c, name, args)
	case "cd", "execline-cd":
		if c.dir = ""; args[0].Known {
			c.dir = absolute("/", args[0].Text)
		}
	case "export":
		c.vars = c.vars.over(vars{})
		if args[0].Known {
			c.vars[args[0].Text] = value{words: args[1:], exported: true}
		}
	case "unexport":
		c.vars = c.vars.over(vars{})
		t.remove(c, "unexport "+args[0].Name(), args[0])
	case "emptyenv":
		t.clear(c, "emptyenv", nil)
	}
}

// parseExecline reads a script. A word in which a variable is put is not known.
func parseExecline(text string) []item {
	p := &execlineParser{text: text}
	return p.items(0)
}

type execlineParser struct {
	text string
}

const maxBlocks = 50

func (p *execlineParser) items(depth int) (out []item) {
	for depth < maxBlocks {
		p.text = strings.TrimLeft(p.text, " \t\r\n")
		switch {
		case p.text == "":
			return out
		case p.text[0] == '#':
			_, p.text, _ = strings.Cut(p.text, "\n")
			continue
		}
		switch w := p.word(); {
		case w.Text == "{" && w.Known:
			out = append(out, item{brace: true, block: p.items(depth + 1)})
		case w.Text == "}" && w.Known:
			return out
		default:
			out = append(out, item{word: w})
		}
	}
	return out
}

// word reads one word: quotes and backslashes are removed.
func (p *execlineParser) word() shell.Word {
	var b strings.Builder
	w := shell.Word{Known: true}
	quoted := false
	for i := 0; i < len(p.text); i++ {
		switch ch := p.text[i]; {
		case ch == '\\' && i+1 < len(p.text):
			i++
			b.WriteByte(p.text[i])
		case ch == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n", ch) >= 0:
			p.text = p.text[i:]
			w.Text = b.String()
			return w
		default:
			w.Known = w.Known && ch != '$'
			b.WriteByte(ch)
		}
	}
	p.text, w.Text = "", b.String()
	return w
}

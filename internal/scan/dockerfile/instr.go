package dockerfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// instr makes an instruction of a node. Its form is not filled in.
func (s *source) instr(n *parser.Node) *Instr {
	in := &Instr{
		Cmd: strings.ToUpper(n.Value), Args: words(n), Flags: n.Flags, Exec: n.Attributes["json"],
		Comments: n.PrevComment, Span: Span{s.path, n.StartLine, n.EndLine}, line: n.Original,
	}
	end := min(n.EndLine, len(s.lines))
	in.Text = strings.Join(s.lines[max(n.StartLine-1, 0):end], "\n")
	// Bodies stand at the end of the instruction, each followed by its tag's line.
	line := n.EndLine + 1
	for i := len(n.Heredocs) - 1; i >= 0; i-- {
		line -= strings.Count(n.Heredocs[i].Content, "\n") + 1
	}
	for _, h := range n.Heredocs {
		body := h.Content
		if h.Chomp {
			body = parser.ChompHeredocContent(body)
		}
		in.Heredocs = append(in.Heredocs, Heredoc{h.Name, body, h.Expand, line})
		line += strings.Count(h.Content, "\n") + 1
	}
	in.form = n
	if in.Cmd == "ONBUILD" && n.Next != nil && len(n.Next.Children) == 1 {
		t := n.Next.Children[0]
		t.StartLine, t.EndLine, t.Heredocs = n.StartLine, n.EndLine, n.Heredocs
		in.Trigger = s.instr(t)
	}
	return in
}

// words flattens the arguments of a node.
func words(n *parser.Node) []string {
	cmd := strings.ToLower(n.Value)
	if _, known := command.Commands[cmd]; !known {
		return nil
	}
	var out []string
	for a := n.Next; a != nil; a = a.Next {
		switch {
		case len(a.Children) == 1:
			return append([]string{a.Children[0].Value}, words(a.Children[0])...)
		case cmd != command.Env && cmd != command.Label:
			out = append(out, a.Value)
		case a.Next != nil && a.Next.Next != nil: // a name, its value, and what stood between them
			out = append(out, a.Value+"="+a.Next.Value)
			a = a.Next.Next
		}
	}
	return out
}

// check turns the node of an instruction into its typed form, and says what is
// wrong if it can't.
func check(in *Instr, escape rune) (form any, problem string) {
	n := in.form.(*parser.Node)
	in.form = nil
	defer func() {
		if recover() != nil {
			form, problem = nil, "it could not be understood"
		}
	}()
	form, err := instructions.ParseInstruction(n)
	if err == nil {
		err = expandable(form, escape)
	}
	if err != nil {
		return nil, reason(err, n.Value)
	}
	if t := in.Trigger; t != nil {
		if t.form, problem = check(t, escape); problem != "" {
			in.Trigger = nil
			return nil, "its trigger: " + problem
		}
	}
	return form, ""
}

// expandable reports a substitution that no value of its variables could make
// valid.
func expandable(form any, escape rune) error {
	lex := shell.NewLex(escape)
	check := func(word string) (string, error) {
		if err := affordable(word); err != nil {
			return word, nil // stays unknown, see scope.expand
		}
		_, _, err := lex.ProcessWord(word, anything{})
		return word, err
	}
	switch c := form.(type) {
	case *instructions.RunCommand: // only its mounts are expanded, and their values are checked then
		return nil
	case *instructions.Stage:
		_, err := check(c.BaseName)
		return err
	case instructions.SupportsSingleWordExpansion:
		return c.Expand(check)
	}
	return nil
}

// anything gives every variable a value.
type anything struct{}

func (anything) Get(string) (string, bool) { return "x", true }
func (anything) Keys() []string            { return nil }

var plainWord = regexp.MustCompile(`^[A-Za-z]{1,15}$`)

// reason says what the parser found wrong with the instruction that starts with
// the given text. Errors quote the instruction, which may hold a secret, so only
// the parts of them that are BuildKit's own words are used.
func reason(err error, text string) string {
	msg := err.Error()
	keyword, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	keyword = strings.ToUpper(keyword)
	if _, known := command.Commands[strings.ToLower(keyword)]; !known {
		switch {
		case plainWord.MatchString(keyword):
			return "unknown instruction " + keyword
		case strings.HasPrefix(keyword, "#"):
			return "the directive is not valid"
		default:
			return "unknown instruction"
		}
	}
	if flag := flagName.FindStringSubmatch(msg); flag != nil {
		return fmt.Sprintf("%s has the flag %s, which is unknown or not valid", keyword, flag[1])
	}
	for _, clause := range clauses {
		if strings.Contains(msg, clause) {
			return keyword + ": " + strings.Replace(clause, unclosed, "a quote or a substitution is not closed", 1)
		}
	}
	return keyword + " could not be understood"
}

var flagName = regexp.MustCompile(`flag: (--[a-z][a-z-]{0,30})(?:[ ,]|$)`)

// clauses are the parts of BuildKit's messages that are worth repeating.
var clauses = []string{
	"unterminated heredoc", "cannot accept a heredoc as a destination",
	"requires either one or three arguments", "name can't start with a number or contain symbols",
	"requires at least one argument", "requires exactly one argument", "requires at least two arguments",
	"must have two arguments", "Must be of the form: name=value", "names can not be blank",
	"arrays must be comprised of strings only", "Missing command after HEALTHCHECK CMD",
	"isn't allowed as an ONBUILD trigger", "bad substitution", "missing '}'", "unsupported modifier",
	"can not be an empty string", unclosed,
}

const unclosed = "while looking for matching"

// hint guesses which instruction was meant.
func hint(in *Instr) string {
	if _, known := command.Commands[strings.ToLower(in.Cmd)]; known {
		return ""
	}
	if strings.ContainsFunc(in.Cmd, func(r rune) bool { return r > unicode.MaxASCII }) {
		return "its keyword has a letter that is not ASCII"
	}
	var names []string
	for name := range command.Commands {
		names = append(names, strings.ToUpper(name))
	}
	slices.Sort(names)
	return meant(in.Cmd, names)
}

// meant is a hint for a word that should have been one of names.
func meant(word string, names []string) string {
	if len(word) > 40 {
		return ""
	}
	if best := suggest.Nearest(word, names); best != "" {
		return "did you mean " + best + "?"
	}
	return ""
}

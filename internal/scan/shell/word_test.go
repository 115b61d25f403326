package shell

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// show writes known words bare, unknown ones in <>, loose ones with ~, lists
// with a star.
func show(words []Word) string {
	var out []string
	for _, w := range words {
		s := w.Text
		if !w.Known {
			s = "<" + s + ">"
		}
		if w.Loose {
			s = "~" + s
		}
		if w.Any {
			s += "*"
		}
		out = append(out, s)
	}
	return strings.Join(out, "|")
}

func scope(open bool) *Scope {
	vars := map[string][]Word{
		"A": Known("one"), "B": Known("two words"), "E": Known(""), "L": Known("x", "y z"),
		"ENV": {{Text: "app", Known: true, Loose: true}}, "U": {{}}, "P": Known("/opt/x.tar.gz"),
	}
	return &Scope{
		Var:  func(n string) ([]Word, bool) { v, ok := vars[n]; return v, ok },
		Args: []Word{{Text: "first", Known: true}, {Text: `"$@"`, Any: true}},
		Zero: Word{Text: "/e.sh", Known: true}, Open: open,
	}
}

func TestExpand(t *testing.T) {
	for src, want := range map[string]string{
		`a 'b c' "d e" f\ g`:         `a|b c|d e|f g`,
		`"" ''`:                      `|`,
		`$A "$B" $B x${A}y`:          `one|two words|two|words|xoney`,
		`x$B"$B"`:                    `xtwo|wordstwo words`,
		`$E "$E" z`:                  `|z`,
		`$NO "$NO"`:                  `<$NO>*|<$NO>`,
		`$ENV "a$ENV"`:               `~app|~aapp`,
		`"$U" $U`:                    `<$U>|<$U>*`,
		`"$@"`:                       `first|<"$@">*`,
		`"$*" "a${L[*]}"`:            `<first "$@">|ax y z`,
		`${A:0:1} ${A:1} ${A:9}x`:    `o|ne|x`,
		`${1:0:1} ${NO:0:1} ${A:$A}`: `f|<${NO:0:1}>*|<${A:$A}>*`,
		`"${@:2}"`:                   `<"$@">*`,
		`"$1" "$2" "$0"`:             `first|<$2>|/e.sh`,
		`"${L[@]}" ${L[@]}`:          `x|y z|x|y|z`,
		`"${L[1]}" "$L"`:             `y z|x`,
		`${NO:-dflt} "${A:-d}"`:      `~dflt|one`,
		`${E:-d} "${E-d}" ${E:+x}`:   `d|`,
		`"${A:+yes}" ${NO:+yes}`:     `yes|<${NO:+yes}>*`,
		`${P##*/} ${P%%.*} ${P%.*}`:  `x.tar.gz|/opt/x|/opt/x.tar`,
		`${P#/opt} ${P%.gz} ${P#*/}`: `/x.tar.gz|/opt/x.tar|opt/x.tar.gz`,
		`${A/o/x} ${#A} ${!A}`:       `<${A/o/x}>*|<${#A}>*|<${!A}>*`,
		`$(id -u) "$(date)"`:         `0|<$(date)>`,
		`{1..1000000000} {a,b} {}`:   `<{1..1000000000}>*|<{a,b}>*|{}`,
		`~root $((1+1)) <(x)`:        `~root|<$((1 + 1))>|<<(x)>`,
		`"\$A \" \x"`:                `$A " \x`,
		`$'a\n' $'b'`:                `<$'a\n'>|b`,
	} {
		f, err := Parse("c " + src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		s := scope(true)
		s.Subst = func(c *syntax.CmdSubst) Word {
			if source(c) == "$(id -u)" {
				return Word{Text: "0", Known: true}
			}
			return Word{}
		}
		call := f.Stmts[0].Cmd.(*syntax.CallExpr)
		if got := show(s.Expand(call.Args[1:]...)); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestClosed(t *testing.T) {
	f, err := Parse(`c "$NO" $NO "${NO:-d}" ${NO:+x} "$#"`)
	if err != nil {
		t.Fatal(err)
	}
	s := scope(false)
	s.Args = nil
	if got, want := show(s.Expand(f.Stmts[0].Cmd.(*syntax.CallExpr).Args...)), "c||d|0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEmptyList(t *testing.T) {
	f, err := Parse(`c "$@" $@ x"$@"`)
	if err != nil {
		t.Fatal(err)
	}
	s := scope(true)
	s.Args = nil
	if got, want := show(s.Expand(f.Stmts[0].Cmd.(*syntax.CallExpr).Args...)), "c|x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestGrowth doubles words: no length may explode.
func TestGrowth(t *testing.T) {
	f, err := Parse("c " + strings.Repeat("$BIG", 1000))
	if err != nil {
		t.Fatal(err)
	}
	big := Word{Text: strings.Repeat("x", maxText), Known: true}
	s := &Scope{Var: func(string) ([]Word, bool) { return []Word{big}, true }}
	for _, w := range s.Expand(f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1:]...) {
		if w.Known || len(w.Text) > 2*maxText {
			t.Errorf("a word of %d bytes, known %v", len(w.Text), w.Known)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct{ pattern, text, want string }{
		{"start", "start", "true true"}, {"st*", "start", "true true"}, {"'st*'", "start", "false true"},
		{"-*", "start", "false true"}, {"[0-9]*", "1a", "true true"}, {`"$A"`, "one", "true true"},
		{`"$NO"`, "one", "false false"}, {"*", "x", "true true"},
	} {
		f, err := Parse("c " + tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		m, known, _ := scope(true).Match(f.Stmts[0].Cmd.(*syntax.CallExpr).Args[1], Word{Text: tt.text, Known: true})
		if got := fmt.Sprint(m, known); got != tt.want {
			t.Errorf("%s on %s: %s, want %s", tt.pattern, tt.text, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	for _, tt := range []struct {
		w    Word
		want string
	}{
		{Word{Text: "gosu", Known: true}, "gosu"},
		{Word{Text: `"$@"`, Any: true}, `"$@"`},
		{Word{Text: "${USER}"}, "${USER}"},
		{Word{Text: "x=$(cat y)"}, "a text that is computed"},
		{Word{Text: "${T:-word}"}, "a text that is computed"},
	} {
		if got := tt.w.Name(); got != tt.want {
			t.Errorf("%q is called %q, want %q", tt.w.Text, got, tt.want)
		}
	}
}

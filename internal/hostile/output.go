package hostile

import (
	"fmt"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// Names are file names, users and texts that do something to who prints them.
func Names() []string {
	return []string{
		"\x1b[2J\x1b]0;title\a", "\u009b31m\u0085", "a\n::error::fake", "a\r::stop-commands::x", "::set-output name=a::b", "##[error]x", "##vso[task.complete]x",
		"\xff\xfe", "\xc3(", "gpj\u202eexe", "a\u200b\u2060b", "a\u2028b", "\x7f", "x:y", "%41 b", "|`<img src=x>`|", "=1+1", "a\tb",
	}
}

// output are the rows on what foreign text does where it is printed. Every row of
// the corpus is printed in every format, and each output is searched for what must
// not be there; these rows are rich in it.
func output() []Case {
	return []Case{
		{ID: "I01", What: "user with terminal escapes", Input: func() Input { return I01("\x1b[2J\u009b31m\a") }, Class: Finding, Want: `\x1b[2J`},
		{ID: "I02", What: "user with commands of CI systems", Input: func() Input { return I01("a\r::stop-commands::x\n::error::fake\n##[error]x##vso[a]") }, Class: Finding, Want: "SBX204"},
		{ID: "I02 file", What: "file names with commands of CI systems", Input: I02, Class: Finding, Want: "SBX004"},
		{ID: "I03", What: "user with bytes that are no text", Input: func() Input { return I01("\xff") }, Class: Finding, Want: "\ufffd"},
		{ID: "I03 file", What: "file names with bytes that are no text", Input: func() Input { return I03("\xff\xfe", "\xff\xfd") }, Class: Finding, Want: `\xff\xfe | \xff\xfd`},
		{ID: "I04", What: "file names that are no URIs", Input: func() Input { return I03("%41 b", "x:y", "a?b#c", "..\\x") }, Class: Finding, Want: "SBX004 | x:y"},
		{ID: "I05", What: "user with characters that reorder or hide others", Input: func() Input { return I01("a\u202e\u2066b\u200b\u2028c") }, Class: Finding, Want: `\u202e`},
		{ID: "I06", What: "user with tags of HTML", Input: func() Input { return I01(`</title></code><script>alert(1)</script><img src=x onerror="alert(1)">`) }, Class: Finding, Want: "SBX204 | <script>"},
		{ID: "I06 file", What: "file names that are Markdown and HTML", Input: func() Input {
			return I03("|`<img src=x>`|", "**a** _b_", "[a](b)", "@someone #1 :x:", "- a", "$a$", "&lt;b&gt;", "{{.}}")
		}, Class: Finding, Want: "SBX004 | <img src=x> | [a](b)"},
		{ID: "I07", What: "file names that are formulas of spreadsheets", Input: func() Input { return I03("=1+1", "+1", "-1", "@SUM(1)") }, Class: Finding, Want: "SBX004 | =1+1"},
		{ID: "I08", What: "user of 100,000 bytes", Input: func() Input { return I01(strings.Repeat("u", 100000)) }, Class: Finding, Want: "SBX204 | bytes, sha256"},
		{ID: "I08 many", What: "more findings than the limit", Input: I08, Limits: func(l *limits.Limits) { l.FindingsPerRule = 5 }, Class: Partial, Want: "over the limit"},
		{ID: "I02 text", What: "Dockerfile with commands of CI systems", Input: lines("FRM ::error::x\r\n##[error] x\n::stop-commands::x\n\x1b[2J a\n"), Class: Partial, Want: "Dockerfile:3"},
	}
}

// I01 is an image that runs as a user of the given name.
func I01(user string) Input { return M15("User", user) }

// I02 has each name twice, which is a finding that quotes it.
func I02() Input { return I03(Names()...) }

// I03 has each name twice.
func I03(names ...string) Input {
	var es []entry
	for _, n := range names {
		es = append(es, file("etc/"+n, "1"), file("etc/"+n, "2"))
	}
	return save(pack(es...))
}

// I08 has a finding for each layer.
func I08() Input {
	var layers [][]byte
	for i := range 10 {
		layers = append(layers, pack(file("a", fmt.Sprint(i)), file("a", "2")))
	}
	return save(layers...)
}

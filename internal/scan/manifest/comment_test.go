package manifest

import (
	"slices"
	"testing"
)

func TestComments(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []Comment
	}{
		{"above and behind", "a: 1\n# b\nc: 2 # d\n", []Comment{{Line: 2, Text: "b", About: 3}, {Line: 3, Text: "d", About: 3}}},
		{"behind a tab", "a: 1\t# b\n", []Comment{{Line: 1, Text: "b", About: 1}}},
		{"no blank before it", "a: b#c\n", nil},
		{"head", "# a\n\nb: 1\n", []Comment{{Line: 1, Text: "a", About: 3, Head: true, Apart: true}}},
		{"head behind a marker", "%YAML 1.2\n---\n# a\nb: 1\n---\n# c\nd: 1\n", []Comment{{Line: 3, Text: "a", About: 4, Head: true}, {Line: 6, Text: "c", About: 7}}},
		{"head behind a byte order mark", "\ufeff# a\nb: 1\n", []Comment{{Line: 1, Text: "a", About: 2, Head: true}}},
		{"other line ends", "a: 1\r\n# b\r\n\r\nc: 2\r\n", []Comment{{Line: 2, Text: "b", About: 4, Apart: true}}},
		{"at the end", "a: 1\n# b\n", []Comment{{Line: 2, Text: "b"}}},
		{"in quotes", "a: 'b # c' # d\ne: \"f \\\" # g\" # h\ni: ['j '' # k', l] # m\n", []Comment{{Line: 1, Text: "d", About: 1}, {Line: 2, Text: "h", About: 2}, {Line: 3, Text: "m", About: 3}}},
		{"in quotes over lines", "a: \"b\n  # c\n  d\" # e\n", []Comment{{Line: 3, Text: "e", About: 3}}},
		{"behind an anchor", "é: &x 'b # c' # d\n", []Comment{{Line: 1, Text: "d", About: 1}}},
		{"in a literal block", "a: | # b\n  # c\n\n    # d\n# e\nf: 1\n", []Comment{{Line: 1, Text: "b", About: 1}, {Line: 5, Text: "e", About: 6}}},
		{"in a folded block", "a:\n- >2-\n    b\n   # c\n\n- d # e\n", []Comment{{Line: 6, Text: "e", About: 6}}},
		{"in an empty block", "a: |\n# b\nc: 1\n", []Comment{{Line: 2, Text: "b", About: 3}}},
		{"in the second document", "a: 1\n---\nb: |\n  # c\nd: 1 # e\n", []Comment{{Line: 5, Text: "e", About: 5}}},
		{"as a key", "'a # b': 1 # c\n? \"d # e\"\n: 2\n", []Comment{{Line: 1, Text: "c", About: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (File{Text: []byte(tt.text)}).Comments(); !slices.Equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func FuzzComments(f *testing.F) {
	f.Add("a: \"b\\")
	f.Add("a: 'b # c' # d\n- >2-\n  # e\n")
	f.Add("? |\n # a\n: \"\\\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, c := range (File{Text: []byte(text)}).Comments() {
			if c.Line <= last || c.About != 0 && c.About < c.Line {
				t.Errorf("%+v behind line %d", c, last)
			}
			last = c.Line
		}
	})
}

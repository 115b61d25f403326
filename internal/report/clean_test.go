package report

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"/usr/bin/naïve name 世界":    "/usr/bin/naïve name 世界",
		"a\nb\r\tc":                 `a\nb\r\tc`,
		"\x1b[31mred\a":             `\x1b[31mred\a`,
		"\x00\x7f":                  `\x00\x7f`,
		"\u0085\u009b":              `\u0085\u009b`,
		"\xff\xc3(":                 `\xff\xc3(`,
		"\u202egpj.exe":             `\u202egpj.exe`,
		"a\u200b\u2028\ufeff\u00ad": `a\u200b\u2028\ufeff\u00ad`,
		"\u3164\ufe0f":              `\u3164\ufe0f`,
		"it's \\ \"quoted\"":        `it's \ "quoted"`,
		"::error::x":                `\x3a:error::x`,
		" \n::x":                    ` \n::x`,
		"  ::x":                     `  \x3a:x`,
		" :":                        ` \x3a`,
		"binds :: and [::1]":        "binds :: and [::1]",
		"##[group]":                 `#\x23[group]`,
		"x ###[y]":                  `x ##\x23[y]`,
		"##vso[a] ##VsO[b]":         `#\x23vso[a] #\x23VsO[b]`,
		"## [x] #[y] ##vs":          "## [x] #[y] ##vs",
	} {
		if got := Clean(in, 512); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCleanCuts(t *testing.T) {
	long := strings.Repeat("世", 100)
	got := Clean(long, 128)
	if !regexp.MustCompile(`^世{24}\.\.\. \(300 bytes, sha256 [0-9a-f]{16}\)$`).MatchString(got) {
		t.Errorf("got %q", got)
	}
	if Clean(long+"a", 128) == Clean(long+"b", 128) {
		t.Error("two long strings with one beginning can't be told apart")
	}
	if exact := strings.Repeat("x", 128); Clean(exact, 128) != exact {
		t.Error("a string of the limit's length is cut")
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 128)
	}
	command := regexp.MustCompile(`(?i)^ *::|##\[|##vso\[`)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 64 || limit > 4096 {
			t.Skip()
		}
		got := Clean(s, limit)
		if len(got) > limit {
			t.Errorf("%d bytes, limit %d", len(got), limit)
		}
		if !utf8.ValidString(got) || command.MatchString(got) {
			t.Errorf("%q gives %q", s, got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Errorf("%q gives %q with %U", s, got, r)
			}
		}
		if again := Clean(got, limit); again != got {
			t.Errorf("%q gives %q, and that gives %q", s, got, again)
		}
	})
}

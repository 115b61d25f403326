package report

import (
	"encoding/json"
	"regexp"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzRender puts one string in every place where a foreign one can stand, and
// searches every format for what no output may hold (I1-I5).
func FuzzRender(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("  :")
	f.Add("  ::stop-command\x00\x80:\xde")
	styles := regexp.MustCompile(`\x1b\[[0-9]+m`)
	command := regexp.MustCompile(`(?im)^\s*::|##\[|##vso\[`)
	f.Fuzz(func(t *testing.T, s string) {
		for ext, write := range formats() {
			out := write(t, hostileReport(s))
			if (ext == "json" || ext == "sarif") && !json.Valid([]byte(out)) {
				t.Errorf("%s of %q is no JSON", ext, s)
			}
			if ext == "tty" {
				out = styles.ReplaceAllString(out, "")
			}
			if !utf8.ValidString(out) {
				t.Errorf("%s of %q is no valid UTF-8", ext, s)
			}
			for i, r := range out {
				if r != '\n' && (!unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
					t.Fatalf("%s of %q prints %U: %q", ext, s, r, out[max(0, i-20):min(len(out), i+20)])
				}
			}
			if m := command.FindString(out); m != "" {
				t.Errorf("%s of %q opens a command: %q", ext, s, m)
			}
		}
	})
}

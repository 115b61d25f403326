package suggest

import "testing"

func TestNearest(t *testing.T) {
	options := []string{"text", "json", "sarif", "SBX201", "SBX205", "explain"}
	for word, want := range map[string]string{
		"jsno": "json", "JSON": "json", "serif": "sarif", "sbx21": "SBX201", "explian": "explain",
		"xml": "", "js": "", "": "", "completely-else": "",
	} {
		if got := Nearest(word, options); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

package policy

import (
	"os"
	"strings"
	"testing"
)

// The page on how we judge names the rules that each step rests on.
func TestRequiredDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/judging.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "<!-- required:")
	table, _, _ = strings.Cut(table, "<!-- /required -->")
	for _, s := range Steps() {
		want := "| " + s.String() + " | " + strings.Join(required(s), " ") + " |\n"
		if !strings.Contains(table, want) {
			t.Errorf("docs/judging.md lacks %q", want)
		}
	}
}

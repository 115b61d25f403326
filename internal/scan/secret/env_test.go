package secret

import (
	"os"
	"strings"
	"testing"
)

// The table of variables is judged right, line by line.
func TestEnvTable(t *testing.T) {
	text, err := os.ReadFile("testdata/env.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	m := newMaker()
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		want, pair, _ := strings.Cut(line, "  ")
		filled, err := m.expand(pair)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		name, value, _ := strings.Cut(filled, "=")
		count[want]++
		if j := Judge(name, value); word(j) != want && want != "either" {
			t.Errorf("line %d: %s is judged %q (%s: %s), want %q", i+1, pair, word(j), j.Kind, j.Reason, want)
		}
	}
	if all := count["no"] + count["secret"] + count["default"]; all < 200 || count["no"]*2 < all {
		t.Errorf("the table has %v: at least 200 are wanted, half of them harmless", count)
	}
}

// word is a judgement in the words of the table.
func word(j Judgement) string {
	switch {
	case j.Secret:
		return "secret"
	case j.Default:
		return "default"
	}
	return "no"
}

func TestConfidence(t *testing.T) {
	m := newMaker()
	for _, c := range []struct {
		name, value string
		want        Confidence
	}{
		{"X", m.github("ghp_"), High},
		{"X", "ghp_" + m.text(36), Low}, // random, with no checksum
		{"API_TOKEN", m.text(32), High},
		{"API_TOKEN", "gr33n-tea-house", Medium},
		{"DB_PASSWORD", "abc", Low},
		{"DB_PASSWORD", "hunter2hunter2", Medium},
		{"LICENSE_KEY", m.text(32), Medium},
		{"X", "postgres://u:p@h/db", Low},
		{"X", "postgres://u:" + m.text(20) + "@h/db", High},
		{"X", m.pem("RSA PRIVATE KEY"), High},
		{"X", m.pem("ENCRYPTED PRIVATE KEY"), Medium},
		{"X", strings.Replace(m.pem("RSA PRIVATE KEY"), "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"+m.hex(32)+"\n\n", 1), Medium},
		{"X", "Bearer " + m.text(40), High},
	} {
		if j := Judge(c.name, c.value); j.Confidence != c.want {
			t.Errorf("%s with %d bytes: %+v, want %v", c.name, len(c.value), j, c.want)
		}
	}
}

package shell

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, s := range []string{
		"", "#!/bin/sh\nexec \"$@\"\n", "if [[ $1 == x ]]; then\n\tarr=(a b)\nfi\n", "cat <<'EOF'\n$(\nEOF\n",
	} {
		if _, err := Parse(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	if _, err := Parse("true\nif x; then\n"); err == nil || !strings.Contains(err.Error(), "line 2, column 7 is") {
		t.Errorf("an unfinished if gives %v", err)
	}
	if _, err := Parse(strings.Repeat("#", MaxBytes+1)); err == nil {
		t.Error("a script over the limit is read")
	}
}

func TestDeep(t *testing.T) {
	for _, s := range []string{"(", "{ ", "$(", "`", "if ", "! ", "\"$(", "${a:-", "$((", "[[ ( ", "case x in x) ",
		"[[ ! ", "while ", "f() ", "<(", "a | ", "a=( $(", "a[", "$((-", "$((a=", "time ", "elif "} {
		_, err := Parse(strings.Repeat(s, MaxBytes/len(s)) + "a")
		if err == nil {
			continue // read in a loop
		}
		if !errors.Is(err, errNested) && len(err.Error()) > 1000 {
			t.Errorf("%q: an error of %d bytes", s, len(err.Error()))
		}
	}
	if _, err := Parse(strings.Repeat("(", 10000)); !errors.Is(err, errNested) {
		t.Errorf("10000 subshells give %v", err)
	}
	if _, err := Parse(strings.Repeat("if a; then\n", 100) + "b\n" + strings.Repeat("fi\n", 100)); err != nil {
		t.Errorf("100 levels of if: %v", err)
	}
}

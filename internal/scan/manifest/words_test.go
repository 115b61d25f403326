package manifest

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
		ok   bool
	}{
		{"", nil, true},
		{" agent  --serve\n", []string{"agent", "--serve"}, true},
		{`sh -c "exec gosu app agent --name 'a b'"`, []string{"sh", "-c", "exec gosu app agent --name 'a b'"}, true},
		{`a '' b\ c "d\"e"`, []string{"a", "", "b c", `d"e`}, true},
		{`'a\b'`, []string{`a\b`}, true},
		{`sh -c "exec`, []string{"sh", "-c", "exec"}, false},
	} {
		got, ok := split(tt.text)
		if !slices.Equal(got, tt.want) || ok != tt.ok {
			t.Errorf("%q: got %q, %v", tt.text, got, ok)
		}
	}
}

package manifest

import (
	"testing"

	"github.com/compose-spec/compose-go/v2/template"
)

// TestInterpolate compares with what compose itself makes of a text, where every
// variable is known to it.
func TestInterpolate(t *testing.T) {
	env := map[string]string{"A": "one", "EMPTY": "", "N": "A"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, tt := range []struct {
		text, want string
		unknown    bool // compose would take an empty text, or fail
	}{
		{text: "plain", want: "plain"},
		{text: "$A-${A}", want: "one-one"},
		{text: "$$A and $$$$", want: "$A and $$"},
		{text: "${NONE:-x}", want: "x"},
		{text: "${NONE-x}", want: "x"},
		{text: "${EMPTY:-x}", want: "x"},
		{text: "${EMPTY-x}", want: ""},
		{text: "${A:+set}${NONE:+set}${EMPTY+set}${EMPTY:+set}", want: "setset"},
		{text: "${NONE:-${A}/b}", want: "one/b"},
		{text: "${NONE:-${OTHER:-deep}}/c", want: "deep/c"},
		{text: "${A:?must be set}", want: "one"},
		{text: "${NONE:-/var/run/docker.sock}:/x", want: "/var/run/docker.sock:/x"},
		{text: "$NONE", want: "$NONE", unknown: true},
		{text: "a ${NONE} b", want: "a ${NONE} b", unknown: true},
		{text: "${NONE:?must be set}", want: "${NONE:?must be set}", unknown: true},
		{text: "${NONE:-${OTHER}}", want: "${OTHER}", unknown: true},
		{text: "${A", want: "${A", unknown: true},
		{text: "${:-x}", want: "${:-x}", unknown: true},
	} {
		got, unknown := interpolate(tt.text, lookup)
		if got != tt.want || (unknown != "") != tt.unknown {
			t.Errorf("interpolate(%q) = %q, %q; want %q, unknown %v", tt.text, got, unknown, tt.want, tt.unknown)
		}
		if tt.unknown {
			continue
		}
		theirs, err := template.SubstituteWithOptions(tt.text, lookup, template.WithoutLogging)
		if err != nil || theirs != got {
			t.Errorf("compose makes %q of %q (%v), not %q", theirs, tt.text, err, got)
		}
	}
}

func TestDotenv(t *testing.T) {
	env, err := new(project).dotenv("# comment\nexport A=1\nB='$A x' # y\nC=\"${A}2\"\nD=$A # trailing\nbroken\n=x\n1BAD=2\n", &variables{})
	if err != nil {
		t.Error(err)
	}
	want := map[string]string{"A": "1", "B": "$A x", "C": "12", "D": "1"}
	for k, v := range want {
		if env[k] != v {
			t.Errorf("%s = %q, want %q", k, env[k], v)
		}
	}
	if len(env) != len(want) {
		t.Errorf("got %v", env)
	}
}

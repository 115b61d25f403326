package shell

import (
	"fmt"
	"testing"
)

func TestOptions(t *testing.T) {
	o := Options{"-u": "u", "--user": "u", "-c": "c"}
	for _, tt := range []struct {
		words   []string
		permute bool
		want    string
	}{
		{[]string{"-u", "app", "x", "-c", "y"}, false, "u=app c= flags=0 rest=x|-c|y"},
		{[]string{"-u", "app", "x", "-c", "y"}, true, "u=app c=y flags=0 rest=x"},
		{[]string{"-lu", "app", "--login", "x"}, false, "u=app c= flags=2 rest=x"},
		{[]string{"-uapp", "--", "-c"}, true, "u=app c= flags=0 rest=-c"},
		{[]string{"--user=app", "-", "-l"}, true, "u=app c= flags=1 rest=-"},
		{[]string{"--user", "app"}, false, "u=app c= flags=0 rest="},
		{[]string{"-u"}, false, "u= c= flags=0 rest="},
	} {
		p := o.Parse(Known(tt.words...), tt.permute)
		got := fmt.Sprintf("u=%s c=%s flags=%d rest=%s", p.Values["u"].Text, p.Values["c"].Text, len(p.Flags), show(p.Rest))
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.words, got, tt.want)
		}
	}
}

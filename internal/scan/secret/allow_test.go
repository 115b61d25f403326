package secret

import (
	"strings"
	"testing"
)

func TestAllow(t *testing.T) {
	key := NewKey()
	id := key.ID("one")
	s := Sighting{Rule: "SBX304", Path: "srv/app/tests/data/key.pem", Name: "dbPassword", ID: id}
	for _, c := range []struct {
		name  string
		allow Allow
		want  bool
	}{
		{"path", Allow{Path: "srv/app/tests/data/key.pem"}, true},
		{"path with a slash", Allow{Path: "/srv/app/tests/data/key.pem"}, true},
		{"glob of a segment", Allow{Path: "srv/*/tests/data/*.pem"}, true},
		{"glob is of whole segments", Allow{Path: "srv/*.pem"}, false},
		{"any directories", Allow{Path: "**/tests/**"}, true},
		{"no directories", Allow{Path: "srv/**/app/**/key.pem"}, true},
		{"another directory", Allow{Path: "**/fixtures/**"}, false},
		{"two stars find the later one", Allow{Path: "**/app/**/data/*"}, true},
		{"part of a path", Allow{Path: "srv/app"}, false},
		{"rule", Allow{Rule: "SBX304", Path: "**"}, true},
		{"another rule", Allow{Rule: "SBX305", Path: "**"}, false},
		{"name in another case", Allow{Name: "DB*"}, true},
		{"another name", Allow{Name: "API_*"}, false},
		{"identity", Allow{ID: id.String()}, true},
		{"identity in capitals", Allow{ID: strings.ToUpper(id.String())}, true},
		{"another value", Allow{ID: key.ID("two").String()}, false},
		{"another key", Allow{ID: NewKey().ID("one").String()}, false},
		{"all must match", Allow{Path: "**", Name: "API_*", ID: id.String()}, false},
	} {
		c.allow.Reason = "test data"
		if err := c.allow.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, ok := Allowed([]Allow{{Name: "nothing"}, c.allow}, s); ok != c.want || ok && got != c.allow {
			t.Errorf("%s: %t, want %t", c.name, ok, c.want)
		}
	}
}

func TestAllowValidate(t *testing.T) {
	for want, a := range map[string]Allow{
		"no reason":             {Path: "**", Reason: " "},
		"no path, name or":      {Rule: "SBX304", Reason: "x"},
		"glob":                  {Path: "a[", Reason: "x"},
		"identity has 3 charac": {ID: "abc", Reason: "x"},
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", a, err, want)
		}
	}
}

package secret

import (
	"os"
	"strings"
	"testing"
)

// made are credentials of each pattern's form.
func made(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, all := newMaker(), map[string][]string{}
	for _, line := range strings.Split(string(text), "\n") {
		name, form, ok := strings.Cut(line, "  ")
		if !ok || line[0] == '#' {
			continue
		}
		filled, err := m.expand(form)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = append(all[name], filled)
	}
	return all
}

// hitsOf asks p about each of its needles in text.
func (p *Pattern) hitsOf(text string) (all []Hit) {
	for _, needle := range p.Needles {
		folded := text
		if p.Fold {
			folded = strings.ToLower(text)
		}
		for at := 0; ; at++ {
			i := strings.Index(folded[at:], needle)
			if i < 0 {
				break
			}
			at += i
			if h, ok := p.At([]byte(text), at); ok {
				all = append(all, h)
			}
		}
	}
	return all
}

// Each pattern finds what has its form, in other text too, and tells where it is.
func TestPatternsFind(t *testing.T) {
	samples, vendors := made(t), map[string]bool{}
	for _, p := range Patterns() {
		vendors[p.Vendor] = true
		if len(samples[p.Name]) == 0 {
			t.Errorf("%s: no sample in testdata/patterns.txt", p.Name)
		}
		for _, s := range samples[p.Name] {
			whole := p.hitsOf(s)
			if len(whole) == 0 {
				t.Errorf("%s: not found in its sample of %d bytes", p.Name, len(s))
				continue
			}
			h := whole[0]
			value := s[h.Offset : h.Offset+h.Length]
			if h.Pattern != p.Name || h.Kind != p.Kind || h.Confidence == 0 || h.Reason == "" || !strings.Contains(s, value) {
				t.Errorf("%s: %+v", p.Name, h)
			}
			for _, around := range [][2]string{{"x = '", "'\n"}, {`{"a\n`, `"}`}, {"> ", " <"}, {"é\n", "\r\nB=1\n"}} {
				hits := p.hitsOf(around[0] + s + around[1])
				if len(hits) == 0 {
					t.Errorf("%s: not found between %q and %q", p.Name, around[0], around[1])
				} else if got := hits[0]; (around[0] + s)[got.Offset:got.Offset+got.Length] != value {
					t.Errorf("%s: between %q and %q it is %d bytes at %d", p.Name, around[0], around[1], got.Length, got.Offset)
				}
			}
		}
	}
	if len(vendors) < 100 {
		t.Errorf("patterns of %d vendors", len(vendors))
	}
}

// No pattern takes what only looks like its form: cut short, inside a longer word,
// or with a filler instead of what is random.
func TestPatternsNearMiss(t *testing.T) {
	samples := made(t)
	for _, p := range Patterns() {
		for _, s := range samples[p.Name] {
			hits := p.hitsOf(s)
			if len(hits) == 0 {
				continue // TestPatternsFind says so
			}
			h := hits[0]
			value := s[h.Offset : h.Offset+h.Length]
			if hits := p.hitsOf(s[:h.Offset+min(h.Length/2, 18)]); len(hits) > 0 && !wide[p.Name] {
				t.Errorf("%s: %d bytes of it are taken for all", p.Name, hits[0].Length)
			}
			if !p.open && !p.Fold {
				for _, longer := range []string{"z" + s, "_" + s, s + "z", s + "-z"} {
					if len(p.hitsOf(longer)) > 0 && !strings.HasPrefix(longer, s) {
						t.Errorf("%s: found at the end of a longer word", p.Name)
					}
				}
			}
			shown := []byte(s)
			fill(shown[h.Offset+keep(p, value):h.Offset+h.Length], 'x')
			if hits := p.hitsOf(string(shown)); len(hits) > 0 {
				t.Errorf("%s: found with its random part replaced by x", p.Name)
			}
		}
	}
}

// wide are the patterns that take any value, however short, where the form says
// that it is a credential.
var wide = map[string]bool{
	"url-password": true, "driver-password": true, "connection-string-password": true, "npm-registry-credential": true,
	"authorization-header": true, "assigned-secret": true,
}

// keep is how much of a value is its prefix.
func keep(p *Pattern, value string) int {
	for _, n := range p.Needles {
		if strings.HasPrefix(value, n) {
			return len(n)
		}
	}
	return 0
}

// fill replaces letters and digits, so that a form's separators stay.
func fill(b []byte, with byte) {
	for i, c := range b {
		if alnum(c) {
			b[i] = with
		}
	}
}

// Keys that vendors print in their documentation are no credentials.
func TestPatternsKnowExamples(t *testing.T) {
	for _, text := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "I44QH8DHBEXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE", // D35
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
		"sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2",
		"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOt" + "r/KBHBeksoGMGw==",
		"ghp_" + "1234567890abcdefghijklmnopqrstuvwxyz", "ghp_" + strings.Repeat("x", 36),
		"xoxb-" + "not-a-real-token-this-will-not-work", "xoxp-" + "XXXXXXXX-XXXXXXXX-XXXXX",
		"sk-ant-api03-" + strings.Repeat("your-key-here-", 4), "sk-" + strings.Repeat("0123456789abcdef", 3),
		"hf_" + strings.Repeat("a", 34), "AIza" + "SyA-your-api-key-goes-right-here-ok-1",
		"npm_" + strings.Repeat("1234567890ab", 3), "https://hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
		"glpat-" + "yourtokenyourtokenyour", "glpat-" + "XXXXXXXXXXXXXXXXXXXX", "SG." + "your-api-key.your-api-key",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n", // D35: no body
		"-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("x", 64) + "\n-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----",
		"-----BEGIN PUBLIC KEY-----\n" + newMaker().text(64), "-----BEGIN CERTIFICATE-----\n" + newMaker().text(64),
		"postgres://user:${PASSWORD}@host/db", "https://<user>:<password>@host", "http://user:pass@example.com/",
		"//registry.npmjs.org/:_authToken=${NPM_TOKEN}", "_authToken=YOUR_TOKEN_HERE",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Authorization: Token your_token_here_123",
		`api_key = "YOUR_API_KEY_GOES_HERE1"`, `token: "{{ .Values.token }}"`, `secret_name = "prod-orders-db-2024-credentials"`,
		`password_hasher = "django.contrib.auth.hashers.PBKDF2"`, `tokenUrl: "https://login.example.com/oauth2/v2/token"`,
		`"integrity": "sha512-` + newMaker().text(86) + `=="`, `csrf_token_name = "csrfmiddlewaretoken2024"`,
	} {
		for _, p := range Patterns() {
			for _, h := range p.hitsOf(text) {
				if !h.Default {
					t.Errorf("%.40s…: %s (%s)", text, p.Name, h.Reason)
				}
			}
		}
	}
}

// Needles serve a search of bytes: they are long enough to be rare, and what At reads
// beyond them is bounded.
func TestPatternsCanBeSearchedFor(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Patterns() {
		if names[p.Name] || p.Name == "" || p.Kind == "" || len(p.Needles) == 0 {
			t.Errorf("%+v: no name of its own, no kind or no needle", p.Name)
		}
		names[p.Name] = true
		for _, n := range p.Needles {
			if len(n) < 3 || p.Fold && strings.ToLower(n) != n {
				t.Errorf("%s: needle %q", p.Name, n)
			}
		}
		if p.longest > Longest {
			t.Errorf("%s reads %d bytes", p.Name, p.longest)
		}
	}
	if len(names) < 150 {
		t.Errorf("%d patterns", len(names))
	}
}

// A credential is found wherever it stands in a window, as long as all of it is there.
func TestPatternsAtEdges(t *testing.T) {
	samples := made(t)
	for _, p := range Patterns() {
		for _, s := range samples[p.Name] {
			for _, pad := range []int{0, 1, 2, before - 1, before, before + 1, 1000} {
				text := strings.Repeat("\n", pad) + s
				if hits := p.hitsOf(text); len(hits) == 0 || hits[0].Offset < pad {
					t.Errorf("%s: %+v behind %d bytes", p.Name, hits, pad)
				}
			}
		}
	}
}

// What At returns lies in the window, whatever that holds.
func FuzzAt(f *testing.F) {
	m := newMaker()
	for _, s := range []string{"", "://", m.pem("RSA PRIVATE KEY"), m.jwt(), "Server=db;Password=" + m.text(9) + ";", `"token": "` + m.text(32) + `"`, "\xff\\n://u:p@h"} {
		f.Add([]byte(s), 0)
	}
	all := Patterns()
	f.Fuzz(func(t *testing.T, window []byte, which int) {
		p := all[uint(which)%uint(len(all))]
		for _, h := range p.hitsOf(string(window)) {
			if h.Offset < 0 || h.Length <= 0 || h.Offset+h.Length > len(window) {
				t.Errorf("%s: %+v in %d bytes", p.Name, h, len(window))
			}
		}
	})
}

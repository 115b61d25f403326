package leak

import (
	"bytes"
	"encoding/base64"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"text/template"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// A maker makes the same values in each run.
type maker struct{ rnd *rand.Rand }

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func (m maker) of(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[m.rnd.IntN(len(alphabet))]
	}
	return string(out)
}

func (m maker) hex(n int) string { return m.of("0123456789abcdef", n) }

// token ends in a checksum where the issuer appends one.
func (m maker) token(prefix string, n int) string {
	body := m.of(base62, n)
	if strings.HasPrefix(prefix, "gh") || prefix == "npm_" {
		sum := crc32.ChecksumIEEE([]byte(body[:n-6]))
		end := make([]byte, 6)
		for i := len(end) - 1; i >= 0; i-- {
			end[i] = base62[sum%62]
			sum /= 62
		}
		body = body[:n-6] + string(end)
	}
	return prefix + body
}

// made are credentials of each pattern's form, by the pattern's name.
func made(t testing.TB) map[string][]string {
	t.Helper()
	table, err := os.ReadFile("../secret/testdata/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := maker{rand.New(rand.NewPCG(3, 4))}
	block := func(kind, header string) string {
		return "-----BEGIN " + kind + "-----\n" + header + m.token("", 64) + "\n" + m.token("", 63) + "\n-----END " + kind + "-----\n"
	}
	coded := base64.RawURLEncoding.EncodeToString
	forms := template.FuncMap{
		"token": m.token, "hex": m.hex, "upper": strings.ToUpper, "lower": strings.ToLower,
		"base32": func(n int) string { return m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n) },
		"digits": func(n int) string { return m.of("123456789", n) },
		"uuid": func() string {
			h := m.hex(32)
			return strings.Join([]string{h[:8], h[8:12], "4" + h[13:16], "a" + h[17:20], h[20:]}, "-")
		},
		"jwt": func() string {
			return coded([]byte(`{"alg":"HS256"}`)) + "." + coded([]byte(`{"sub":"someone"}`)) + "." + m.token("", 43)
		},
		"discord": func() string {
			return base64.RawStdEncoding.EncodeToString([]byte("617283945061728394")) + "." + m.token("", 6) + "." + m.token("", 38)
		},
		"key": func(kind string) string { return block(strings.TrimSpace(kind+" PRIVATE KEY"), "") },
		"pgp": func() string { return block("PGP PRIVATE KEY BLOCK", "Version: 2\n\n") },
		"ppk": func() string {
			return "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nx\nPrivate-Lines: 1\n" + m.token("", 64) + "\n"
		},
		"age":    func() string { return "AGE-SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) },
		"line":   func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"prefix": func(prefix, s string) string { return prefix + s },
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(table)) {
		name, form, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		tmpl, err := template.New(name).Funcs(forms).Parse(form)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := tmpl.Execute(&b, nil); err != nil {
			t.Fatal(err)
		}
		all[name] = append(all[name], b.String())
	}
	return all
}

// within looks through windows on b that meet at edge.
func within(b []byte, edge int) []Credential {
	var s sink
	const before = 300
	from := max(0, edge-before)
	s.search(image.Window{Bytes: b, To: edge, Line: 1}, false)
	s.search(image.Window{Bytes: b[from:], From: edge - from, To: len(b) - from, Offset: int64(from), Line: 1}, false)
	return s.kept
}

// TestEdges plants a credential of each pattern at every offset around a window's
// edge: it is found, whichever side it begins on, and with the same value.
func TestEdges(t *testing.T) {
	all := made(t)
	filler := strings.Repeat("some text, as it stands in files; ", 20)
	for _, p := range secret.Patterns() {
		if len(all[p.Name]) == 0 {
			t.Errorf("%s: no sample", p.Name)
		}
		for _, sample := range all[p.Name] {
			text := []byte(filler + "\n" + sample + "\n" + filler)
			var whole sink
			whole.search(image.Window{Bytes: text, To: len(text), Line: 1}, false)
			if len(whole.kept) == 0 {
				t.Errorf("%s: nothing found in %d bytes", p.Name, len(sample))
				continue
			}
			start := len(filler) + 1
			step := max(1, len(sample)/200)
			for edge := start - 2; edge < start+len(sample)+2; edge += step {
				if got := within(text, edge); !same(got, whole.kept) {
					t.Errorf("%s: with an edge at %d of %d bytes, found %d credentials, not %d, or others", p.Name, edge-start, len(sample), len(got), len(whole.kept))
					break
				}
			}
		}
	}
}

func same(a, b []Credential) bool {
	ids := map[digest]bool{}
	for _, c := range a {
		ids[c.value] = true
	}
	for _, c := range b {
		if !ids[c.value] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestBinary finds credentials among bytes that are no text, if their form tells.
func TestBinary(t *testing.T) {
	for name, all := range made(t) {
		for _, p := range secret.Patterns() {
			if p.Name != name || p.Generic || p.Fold || strings.Contains(all[0], " = ") { // a name before it tells
				continue
			}
			b := append([]byte("\x7fELF\x00\x00"), all[0]...)
			b = append(b, 0, 1, 2, 0xff)
			var s sink
			s.search(whole(b), false)
			if len(s.kept) == 0 {
				t.Errorf("%s: nothing found in %d bytes", name, len(all[0]))
			}
		}
	}
}

// TestNoNeedles keeps the filter from reporting places that no needle stands at, or
// the same one twice.
func TestNoNeedles(t *testing.T) {
	text := []byte(strings.Repeat("ghp_ghp_ghp_.ghp_/ghp_=PRIVATE KEY ghp_0000000000000000ghp_ ", 40))
	seen := map[place]bool{}
	for _, p := range patterns.find(text, 100, len(text)-50, true) {
		if p.at < 100 || p.at >= len(text)-50 || seen[p] {
			t.Errorf("%s at %d: outside of the window, or again", p.pattern.Name, p.at)
		}
		seen[p] = true
		ok := false
		for _, n := range p.pattern.Needles {
			ok = ok || bytes.HasPrefix(bytes.ToLower(text[p.at:]), []byte(strings.ToLower(n)))
		}
		if !ok {
			t.Errorf("%s at %d: no needle", p.pattern.Name, p.at)
		}
	}
	if len(seen) == 0 {
		t.Error("nothing found")
	}
}

func BenchmarkSearch(b *testing.B) {
	text := []byte(strings.Repeat("func (s *sink) search(w image.Window, generated bool) { return x.Offset+len(w.Bytes) }\n", 2000))
	binary := make([]byte, 1<<20)
	for i := range binary {
		binary[i] = byte(i * i >> 3)
	}
	for name, c := range map[string][]byte{"text": text, "binary": binary} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(c)))
			for b.Loop() {
				var s sink
				s.search(whole(c), false)
			}
		})
	}
}

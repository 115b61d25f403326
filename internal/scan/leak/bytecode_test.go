package leak

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// module is bytecode of CPython 3.12 that holds short strings one after the other,
// each behind its type and length, and assigns the first to a name.
func module(name string, constants ...string) []byte {
	word := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	short := func(s string) string { return "z" + string(rune(len(s))) + s }
	list := func(items []string) string {
		b := ")" + string(rune(len(items)))
		for _, s := range items {
			b += short(s)
		}
		return b
	}
	const code = "\x97\x00d\x00Z\x00y\x00" // RESUME, LOAD_CONST 0, STORE_NAME 0, RETURN_CONST 0
	const magic312 = 3531
	head := string(binary.LittleEndian.AppendUint16(nil, magic312)) + "\r\n" + word(0) + word(0) + word(0)
	return []byte(head + "c" + word(0) + word(0) + word(0) + word(1) + word(0) + "s" + word(len(code)) + code +
		list(constants) + list([]string{name}) + list(nil) + "s" + word(0) + short("/app/m.py") + short("<module>") + short("<module>") +
		word(1) + "s" + word(0) + "s" + word(0))
}

func TestBytecode(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(5, 6))}
	token := m.token("ghp_", 36)
	for _, c := range []struct {
		name string
		code []byte
		want string // name of what is found, or its kind
	}{
		{"a token", module("x", "a", token), "GitHub token"},
		{"a name and its value", module("DB_PASSWORD", m.token("", 20), "b"), "DB_PASSWORD"},
		{"a name, and a path", module("DB_PASSWORD", "/run/secrets/db"), ""},
		{"no name", module("x", m.token("", 20)), ""},
		// D-cases' second face: the length of the next constant, 0x36, is a digit.
		{"a token in two constants", module("x", token[:20], token[20:]), ""},
		{"a token that the next constant touches", module("x", token, strings.Repeat("a", 0x36)), "GitHub token"},
		{"another version", append([]byte("\x01\x02\r\n"), module("x", token)[4:]...), "GitHub token"},
		{"damaged", module("x", token)[:60], ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s sink
			s.bytecode(c.code)
			got := ""
			for _, k := range s.kept {
				if got = k.Name; got == "" {
					got = k.Kind
				}
			}
			if got != c.want || len(s.kept) > 1 {
				t.Errorf("found %d credentials, the last %q; want %q", len(s.kept), got, c.want)
			}
		})
	}
}

package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"text/template"
)

// maker makes values that look like real ones and open nothing.
type maker struct{ rnd *rand.Rand }

func newMaker() maker { return maker{rand.New(rand.NewPCG(3, 4))} }

const (
	alnums = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexes  = "0123456789abcdef"
	base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	bech32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
)

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.rnd.IntN(len(alphabet))]
	}
	return string(b)
}

func (m maker) text(n int) string   { return m.of(alnums, n) }
func (m maker) hex(n int) string    { return m.of(hexes, n) }
func (m maker) base32(n int) string { return m.of(base32, n) }
func (m maker) digits(n int) string { return m.of("123456789", n) }

// token is a prefix and n letters and digits, which end in a checksum where the
// issuer appends one.
func (m maker) token(prefix string, n int) string {
	body := m.text(n)
	if strings.HasPrefix(prefix, "gh") || prefix == "npm_" {
		body = body[:n-6] + base62(crc32.ChecksumIEEE([]byte(body[:n-6])))
	}
	return prefix + body
}

func (m maker) github(prefix string) string { return m.token(prefix, 36) }

func (m maker) uuid() string {
	return strings.Join([]string{m.hex(8), m.hex(4), "4" + m.hex(3), "a" + m.hex(3), m.hex(12)}, "-")
}

func (m maker) jwt() string {
	return base64URL(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." + base64URL(map[string]string{"sub": m.text(8)}) + "." + m.text(43)
}

func (m maker) pem(kind string) string {
	b := "-----BEGIN " + kind + "-----\n"
	for range 4 {
		b += m.text(64) + "\n"
	}
	return b + "-----END " + kind + "-----\n"
}

func (m maker) discord() string {
	return base64.RawStdEncoding.EncodeToString([]byte(m.digits(18))) + "." + m.text(6) + "." + m.text(38)
}

// account is a service account's file.
func (m maker) account() string {
	return `{"type":"service_account","project_id":"p","private_key_id":"` + m.hex(40) + `","private_key":"` + escaped(m.pem("PRIVATE KEY")) + `"}`
}

func base64URL(v any) string {
	b, _ := json.Marshal(v) // of a map of strings: does not fail
	return base64.RawURLEncoding.EncodeToString(b)
}

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func escaped(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

// expand replaces the placeholders for secrets in a line of a table.
func (m maker) expand(line string) (string, error) {
	t, err := template.New("line").Funcs(template.FuncMap{
		"token": m.token, "hex": m.hex, "base32": m.base32, "digits": m.digits, "uuid": m.uuid, "jwt": m.jwt,
		"discord": m.discord, "account": m.account, "line": escaped, "base64": base64Of, "upper": strings.ToUpper, "lower": strings.ToLower,
		"key":    func(kind string) string { return m.pem(strings.TrimSpace(kind + " PRIVATE KEY")) },
		"repeat": strings.Repeat,
		"pgp": func() string {
			return "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + m.text(64) + "\n" + m.text(64) + "\n=" + m.text(4) + "\n-----END PGP PRIVATE KEY BLOCK-----\n"
		},
		"ppk": func() string {
			return "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 1\n" + m.text(64) + "\nPrivate-Lines: 1\n" + m.text(64) + "\nPrivate-MAC: " + m.hex(64) + "\n"
		},
		"cert":   func() string { return m.pem("CERTIFICATE") },
		"age":    func() string { return "AGE-SECRET-KEY-1" + m.of(bech32, 58) },
		"prefix": func(prefix, s string) string { return prefix + s },
		"jsontoken": func() string {
			return base64Of(fmt.Sprintf(`{"a":%q,"t":%q,"s":%q}`, m.hex(32), m.uuid(), base64Of(m.text(32))))
		},
	}).Parse(line)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, nil)
	return b.String(), err
}

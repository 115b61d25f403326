package scantest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"text/template"
)

// Secrets makes the values that fixtures must not hold. A fixture writes
// {{token "ghp_" 36}}, {{hex 32}} or {{key "OPENSSH"}} and gets a value that looks like
// a real one. The same words give the same value, in every run: few random values in a
// thousand look like something else, and no test should meet one now and then.
type Secrets struct {
	made map[string]string
}

// All returns every value made so far, so that a test can look for them where
// they must not be.
func (s *Secrets) All() []string {
	var all []string
	for _, v := range s.made {
		all = append(all, v)
	}
	return all
}

// Expand replaces the placeholders in a fixture's text.
func (s *Secrets) Expand(text []byte) ([]byte, error) {
	if !bytes.Contains(text, []byte("{{")) {
		return text, nil
	}
	t, err := template.New("fixture").Funcs(template.FuncMap{
		"token": s.Token, "hex": s.Hex, "key": s.Key,
		"pyc": Bytecode, "zip": Zip, "tarball": Tarball,
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, nil)
	return out.Bytes(), err
}

func (s *Secrets) once(name string, make func(*rand.Rand) string) string {
	if s.made == nil {
		s.made = map[string]string{}
	}
	if s.made[name] == "" {
		s.made[name] = make(rand.New(rand.NewChaCha8(sha256.Sum256([]byte(name)))))
	}
	return s.made[name]
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Token is a prefix and n random letters and digits. The tokens of one code host
// end in a checksum, six base-62 digits of the CRC-32 of what stands between, so
// those prefixes get one.
func (s *Secrets) Token(prefix string, n int) string {
	return s.once(fmt.Sprint("token", prefix, n), func(rnd *rand.Rand) string {
		body := random(rnd, base62, n)
		if strings.HasPrefix(prefix, "gh") && n > 6 || prefix == "npm_" {
			body = body[:n-6] + checksum(body[:n-6])
		}
		return prefix + body
	})
}

// Hex is n random hexadecimal digits.
func (s *Secrets) Hex(n int) string {
	return s.once(fmt.Sprint("hex", n), func(rnd *rand.Rand) string { return random(rnd, "0123456789abcdef", n) })
}

// Key is a PEM block that reads as a private key of the given kind and opens nothing.
func (s *Secrets) Key(kind string) string {
	return s.once("key"+kind, func(rnd *rand.Rand) string {
		b := make([]byte, 300)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: strings.TrimSpace(kind + " PRIVATE KEY"), Bytes: []byte(base64.StdEncoding.EncodeToString(b))}))
	})
}

func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	out := make([]byte, 6)
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out)
}

func random(rnd *rand.Rand, alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	return string(out)
}

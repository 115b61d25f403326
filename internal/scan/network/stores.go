package network

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"path"
	"regexp"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Stores are the authorities in the trust stores of programs that do not use the
// distribution's: Java's (JKS, or PKCS #12 without a password), those of NSS, which
// Chrome and Firefox use, and certifi's for Python.
var Stores = &image.Probe[[]Anchor]{
	Name: "trust-stores", Version: 1, Whole: true,
	Want: func(e image.Entry) bool {
		switch path.Base(e.Path) { // few paths need the slow look
		case "cacerts", "cacert.pem", "cert9.db":
			return e.Size <= 4<<20 && stores.MatchString(e.Path)
		}
		return false
	},
	Read: func(_ image.Entry, b []byte) ([]Anchor, bool) {
		found := authorities(b)
		if !bytes.Contains(b, []byte("-----BEGIN")) {
			found = embedded(b)
		}
		return found, len(found) > 0
	},
}

var stores = regexp.MustCompile(`/(lib|jre/lib)/security/cacerts$|^/etc/(ssl/certs/java|pki/ca-trust/extracted/java|pki/java)/cacerts$|/cert9\.db$|/certifi/cacert\.pem$`)

// IsNSS reports whether p is a store to which somebody adds each authority: it holds
// none by itself.
func IsNSS(p string) bool { return path.Base(p) == "cert9.db" }

// shippedWith is a file that is installed together with a store: where a layer brings
// both, the store is as it was made.
var shippedWith = []struct {
	store *regexp.Regexp
	file  string // relative to the store's directory
}{
	{regexp.MustCompile(`/security/cacerts$`), "java.security"},
	{regexp.MustCompile(`/security/cacerts$`), "../../release"},
	{regexp.MustCompile(`/java/cacerts$`), "../ca-certificates.crt"},
	{regexp.MustCompile(`/certifi/cacert\.pem$`), "__init__.py"},
}

// ShippedWith are the files that tell, by coming in the same layer, that a store was
// installed and not changed.
func ShippedWith(store string) []string {
	var out []string
	for _, s := range shippedWith {
		if s.store.MatchString(store) {
			out = append(out, path.Join(path.Dir(store), s.file))
		}
	}
	return out
}

// embedded finds certificates among other content: DER, whose length is in its head
// (X.690, 8.1.3). A certificate is a sequence that begins with one.
func embedded(b []byte) []Anchor {
	var out []Anchor
	seen := map[string]bool{}
	for i := 0; i+8 < len(b) && len(out) < maxAnchors; i++ {
		if b[i] != 0x30 || b[i+1] != 0x82 || b[i+4] != 0x30 {
			continue
		}
		n := 4 + int(b[i+2])<<8 + int(b[i+3])
		if i+n > len(b) {
			continue
		}
		c, err := x509.ParseCertificate(b[i : i+n])
		if err != nil {
			continue
		}
		if a, ok := anchor(c); ok && !seen[a.ID] {
			seen[a.ID] = true
			out = append(out, a)
		}
		i += n - 1
	}
	return out
}

// anchor is what is kept of an authority's certificate (RFC 5280, 4.2.1.9).
func anchor(c *x509.Certificate) (Anchor, bool) {
	if !c.IsCA && !bytes.Equal(c.RawIssuer, c.RawSubject) {
		return Anchor{}, false
	}
	name := c.Subject.CommonName
	for _, o := range c.Subject.Organization {
		if name == "" {
			name = o
		}
	}
	sum := sha256.Sum256(c.Raw)
	return Anchor{name, hex.EncodeToString(sum[:])}, true
}

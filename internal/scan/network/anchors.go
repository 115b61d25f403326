package network

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// An Anchor is a certificate of an authority.
type Anchor struct {
	Name string // the subject's common name, or its organization
	ID   string // SHA-256 of the certificate, in hexadecimal
}

// Anchors are the authorities in the files from which trust stores are made, and in
// the stores themselves.
var Anchors = &image.Probe[[]Anchor]{
	Name: "trust-anchors", Version: 2,
	Want: func(e image.Entry) bool {
		return e.Size <= 4<<20 && (Added(e.Path) || IsStore(e.Path) || shipped(e.Path))
	},
	Read: func(_ image.Entry, b []byte) ([]Anchor, bool) {
		found := authorities(b)
		return found, len(found) > 0
	},
}

// added are the directories for authorities that are not the distribution's own
// (update-ca-certificates(8), update-ca-trust(8)), and the one that programs read. There,
// the distribution has links, the bundle, and a certificate of the machine's own.
var added = regexp.MustCompile(`^(/usr/local/share/ca-certificates|/etc/pki/ca-trust/source(/anchors)?|/usr/share/pki/ca-trust-source/anchors|/etc/ca-certificates/trust-source/anchors|/etc/pki/trust/anchors|/etc/ssl/certs)/[^/]+(/[^/]+)*\.(crt|pem|cer|p11-kit)$`)

// Added reports whether p is in a directory for authorities that are not the
// distribution's own.
func Added(p string) bool { return added.MatchString(p) && !IsStore(p) && p != snakeoil }

// snakeoil is made by Debian's ssl-cert for the machine itself.
const snakeoil = "/etc/ssl/certs/ssl-cert-snakeoil.pem"

// IsStore reports whether p is the bundle that programs trust on Debian and its
// relatives, which is made of files of the image.
func IsStore(p string) bool { return p == "/etc/ssl/certs/ca-certificates.crt" }

// shipped reports whether p is where the distribution ships authorities.
func shipped(p string) bool {
	return strings.HasPrefix(p, "/usr/share/ca-certificates/") && strings.HasSuffix(p, ".crt")
}

// maxAnchors is over what any bundle holds.
const maxAnchors = 1000

// authorities reads certificates, in PEM or DER, of which only those of authorities
// count (RFC 5280, 4.2.1.9).
func authorities(b []byte) []Anchor {
	var out []Anchor
	add := func(der []byte) {
		if c, err := x509.ParseCertificate(der); err == nil {
			if a, ok := anchor(c); ok {
				out = append(out, a)
			}
		}
	}
	if !bytes.Contains(b, []byte("-----BEGIN")) {
		add(b)
		return out
	}
	for len(out) < maxAnchors {
		block, rest := pem.Decode(b)
		if block == nil {
			break
		}
		if strings.HasSuffix(block.Type, "CERTIFICATE") {
			add(block.Bytes)
		}
		b = rest
	}
	return out
}

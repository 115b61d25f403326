package rules

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestNetworkClaims keeps what the rules of step 4 claim true.
func TestNetworkClaims(t *testing.T) {
	for _, tt := range []struct{ name, rule, fixture, want string }{
		{"ports of a base that was not read", "SBX401", "-- Dockerfile --\nFROM debian:12\n",
			"unknown: the base image debian:12 may expose ports: it was not read"},
		{"a port that can't be told", "SBX401", "-- Dockerfile --\nFROM scratch\nEXPOSE $PORT\n",
			`unknown: EXPOSE "$PORT" can't be resolved`},
		{"servers of a base that was not read", "SBX402", "-- Dockerfile --\nFROM debian:12\n",
			"unknown: the files of the base image debian:12 were not read"},
		{"no server", "SBX402", "-- Dockerfile --\nFROM scratch\n-- 1/a --\n",
			"shown: the image has no server for login or remote control, and no key that opens one"},
		{"entitlements", "SBX403", "-- Dockerfile --\nFROM scratch\nRUN make\n",
			"shown: no RUN of the Dockerfile lifts the builder's own sandbox"},
		{"entitlements without a Dockerfile", "SBX403", "-- 1/a --\n", ""},
		{"a program that is not followed", "SBX406", "-- Dockerfile --\nFROM scratch\nCMD [\"/agent\"]\n-- 1/agent mode=0755 --\nELF\n",
			"unknown: what the container starts could not be followed to the end: track is lost at entrypoint: /agent is no program that can be followed"},
		{"tampering with a directory", "SBX408", "-- Dockerfile --\nFROM scratch\n-- 1/a --\n",
			"shown: the image redirects no names, names no proxy, trusts no authority of its own, and no firewall script of it has a hole"},
		{"a firewall without a hole", "SBX408", "-- Dockerfile --\nFROM scratch\nCOPY f /f.sh\n-- 1/f.sh --\niptables -P OUTPUT DROP\n",
			"shown: every rule of the firewall in /f.sh that lets something out says where to; it does not close IPv6\nshown: the image redirects no names, names no proxy, trusts no authority of its own, and no firewall script of it has a hole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := scantest.Parse(tt.fixture)
			if err != nil {
				t.Fatal(err)
			}
			if got := claims(f.Audit(t, []*scan.Rule{Find(tt.rule)})); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// authorityPEM is the certificate of an authority of that name.
func authorityPEM(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, tpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// authorityDER is the certificate of a PEM file as other stores hold it.
func authorityDER(t *testing.T, text string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		t.Fatal("no certificate")
	}
	return string(block.Bytes)
}

// TestTrustAnchors tells the authorities of a distribution from those that somebody
// added, in the directories and in the bundle that is made of them.
func TestTrustAnchors(t *testing.T) {
	mozilla, corp, other := authorityPEM(t, "Public Root"), authorityPEM(t, "Corp Root"), authorityPEM(t, "Other Root")
	const (
		dpkg    = "-- 1/var/lib/dpkg/info/ca-certificates.list --\n/usr/share/ca-certificates/mozilla/Public_Root.crt\n"
		shipped = "-- 1/usr/share/ca-certificates/mozilla/Public_Root.crt --\n"
		store   = "-- 1/etc/ssl/certs/ca-certificates.crt --\n"
		nss     = "-- 1/root/.pki/nssdb/cert9.db --\nSQLite format 3\x00"
		local   = "-- 1/usr/local/share/ca-certificates/corp.crt --\n"
	)
	stock := dpkg + shipped + mozilla
	for _, tt := range []struct{ name, fixture, want string }{
		{"as the distribution ships them", stock + store + mozilla, ""},
		{"one more", stock + local + corp + store + mozilla + corp, `/usr/local/share/ca-certificates/corp.crt makes every program trust the authority "Corp Root"`},
		{"one in the bundle only", stock + store + mozilla + other, `/etc/ssl/certs/ca-certificates.crt makes every program trust the authority "Other Root"`},
		{"a bundle without its parts", store + mozilla + other, ""},
		{"among the distribution's, and not of it", stock + "-- 1/usr/share/ca-certificates/corp/corp.crt --\n" + corp, `/usr/share/ca-certificates/corp/corp.crt makes every program trust the authority "Corp Root"`},
		{"put where programs look", stock + "-- 1/etc/ssl/certs/corp.pem --\n" + corp, `/etc/ssl/certs/corp.pem makes every program trust the authority "Corp Root"`},
		{"the machine's own", stock + "-- 1/etc/ssl/certs/ssl-cert-snakeoil.pem --\n" + corp, ""},
		{"added to a browser's", stock + nss + authorityDER(t, corp), `/root/.pki/nssdb/cert9.db makes the programs that use it trust the authority "Corp Root"`},
		{"a browser's with the distribution's", stock + nss + authorityDER(t, mozilla), ""},
		{"Java's as it came", stock + "-- 1/opt/jdk/lib/security/cacerts --\n\xfe\xed\xfe\xed" + authorityDER(t, other), ""},
		{"added to Java's", stock + "-- 1/opt/jdk/lib/security/cacerts --\n" + authorityDER(t, other) + "\n-- 2/opt/jdk/lib/security/cacerts --\n" + authorityDER(t, other) + authorityDER(t, corp), `/opt/jdk/lib/security/cacerts makes the programs that use it trust the authority "Corp Root"`},
		{"Java's of a newer version", stock + "-- 1/opt/jdk/lib/security/cacerts --\n" + authorityDER(t, mozilla) + "\n-- 2/opt/jdk/lib/security/java.security --\nx\n-- 2/opt/jdk/lib/security/cacerts --\n" + authorityDER(t, mozilla) + authorityDER(t, other), ""},
		{"added to Python's", stock + "-- 1/venv/certifi/cacert.pem --\n" + mozilla + "-- 2/venv/certifi/cacert.pem --\n" + mozilla + corp, `/venv/certifi/cacert.pem makes the programs that use it trust the authority "Corp Root"`},
		{"by a variable", "-- Dockerfile --\nFROM scratch\nENV NODE_EXTRA_CA_CERTS=/app/ca.pem\n" + stock, "NODE_EXTRA_CA_CERTS makes programs trust the authorities of /app/ca.pem"},
		{"a variable with the usual bundle", "-- Dockerfile --\nFROM scratch\nENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt REQUESTS_CA_BUNDLE=/usr/local/lib/python3.13/site-packages/certifi/cacert.pem\n" + stock, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := scantest.Parse(tt.fixture)
			if err != nil {
				t.Fatal(err)
			}
			res := f.Audit(t, []*scan.Rule{Find("SBX408")})
			switch {
			case len(res.Broken) > 0:
				t.Error(res.Broken)
			case tt.want == "" && len(res.Findings) > 0, tt.want != "" && (len(res.Findings) != 1 || !strings.HasPrefix(res.Findings[0].Message, tt.want)):
				t.Errorf("got %s, want %q", scantest.Text(res), tt.want)
			}
		})
	}
}

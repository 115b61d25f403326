package secret

import (
	"encoding/base64"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A shape is a form of values that are no secret, whatever their name.
type shape struct {
	why  string
	form *regexp.Regexp
}

// replaced are the shapes of what stands for a value. They are no password in a
// URL either.
var replaced = []shape{
	{"it is a reference to a variable", regexp.MustCompile(`^(\$\w+|\$\{[^}]*\}|%\w+%|\{\{.*\}\}|@\w+@|<%.*%>|__\w+__|#\{.*\}|\{\w+\}|\$\$\w+\$\$|%\(\w+\)s|!(Ref|Sub|GetAtt|vault|secret)\b.*)$`)},
	{"it is a reference to a setting", regexp.MustCompile(`^(os\.(environ|getenv)|process\.env|import\.meta\.env|System\.getenv|getenv\(|env\(|ENV\[|secrets\.|vars\.|settings\.|config\.)`)},
	{"it is the output of a command", regexp.MustCompile("^(\\$\\(|`)")},
	{"it is written to be replaced", regexp.MustCompile(`^(<.*>|\[.*\]|\(.*\)|[xX*.?_#-]+|0+|.*([xX*.?]{4}|\.\.\.|…).*)$`)},
}

// shapes are the shapes of everything else that is no secret.
var shapes = []shape{
	{"it is a reference to a stored secret", regexp.MustCompile(`^(arn:|op://|vault:|vault://|ssm:|secretsmanager:|secretref:|secretKeyRef|keyvault:|sm://|env:|file:|ref\+|awssm://|gcpsm://|akv://|doppler://|infisical://|projects/[\w-]+/secrets/|@Microsoft\.KeyVault)|^\w[\w./-]*/[\w./-]+#\w+$`)},
	{"it is a truth value", regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|t|f)$`)},
	{"it is a number", regexp.MustCompile(`(?i)^[+-]?[\d.,_]+\s*([a-z%]{0,2}|days?|hours?|min(ute)?s?|sec(ond)?s?|[kmgt]i?b)$`)},
	{"it is a version", regexp.MustCompile(`(?i)^[v=~^<>]*\d+(\.\d+)+([-+.~_][a-z0-9]+){0,4}([a-z]+\d*)?$`)},
	{"it is a URL without a password", regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://\S*$`)},
	{"it is a public key", regexp.MustCompile(`^(ssh-(rsa|dss|ed25519)|ecdsa-sha2-\S+|sk-(ssh|ecdsa)-\S+) |^(age1[0-9a-z]{58}|pk_(live|test)_\w+|phc_\w+)$|^-----BEGIN (RSA |SSH2 )?PUBLIC KEY`)},
	{"it is a digest", regexp.MustCompile(`^(sha(1|224|256|384|512)|md5|blake2b)[-:][0-9A-Za-z+/=]{20,}$|^([0-9A-Fa-f]{2}:){15,}[0-9A-Fa-f]{2}$|^SHA256:[A-Za-z0-9+/]{43}$`)},
	{"it is encrypted", regexp.MustCompile(`^(ENC\[|ENC\(|\{cipher\}|\$ANSIBLE_VAULT|AQICAH|age-encryption\.org/|-----BEGIN (AGE ENCRYPTED|PGP MESSAGE)|vault:v\d+:|kms:|encrypted:)`)},
	{"it is a certificate", regexp.MustCompile(`^-----BEGIN (TRUSTED )?CERTIFICATE|^LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS`)},
	{"it is the hash of a password, not the password", regexp.MustCompile(`^\$(1|2[abxy]?|5|6|7|y|gy|argon2\w*|scrypt|pbkdf2\S*)\$|^(pbkdf2_sha\d+|scram-sha-\d+|SCRAM-SHA-\d+)\$`)},
	{"it is the mark of a private key without the key", regexp.MustCompile(`^-----BEGIN [A-Z ]*PRIVATE KEY`)},
}

// paths are the shapes of paths, relative ones only if they end like a file's or
// are plain words.
var paths = []*regexp.Regexp{
	regexp.MustCompile(`^(~?/|\.{1,2}/|[A-Za-z]:\\)\S*$`),
	regexp.MustCompile(`^([\w.-]+/)*[\w-]+\.(txt|json|ya?ml|pem|key|crt|cer|der|p12|pfx|jks|env|conf|ini|toml|xml|properties|pub|asc|gpg)$`),
	regexp.MustCompile(`^[a-z][a-z_.-]*(/[a-z_.-]+)+$`),
}

var (
	uuid        = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	fingerprint = regexp.MustCompile(`(?i)^(0x)?([0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})$`)
	// inset is a part of a value that its reader replaces: ${X}, {{x}}, $(x), %X%.
	inset = regexp.MustCompile(`\$\{[^}]*\}|\{\{.*?\}\}|\$\([^)]*\)|%[A-Z_]+%|\$[A-Z_][A-Z0-9_]+`)
	// orElse is ${NAME:-literal}.
	orElse   = regexp.MustCompile(`^\$\{\w+:?-(.+)\}$`)
	variable = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)
	dense    = regexp.MustCompile(`^[A-Za-z0-9+/_=-]+$`)
)

// harmless returns why a value under a credential's name is no secret, or nothing.
func harmless(value string, n reading) string {
	for _, list := range [][]shape{replaced, shapes} {
		if why := shaped(value, list); why != "" {
			return why
		}
	}
	for _, p := range paths {
		if p.MatchString(value) && !opaque(value) {
			return "it is a path"
		}
	}
	if n.signing && fingerprints(value) {
		return "it is the fingerprint of a public key"
	}
	if rest := inset.ReplaceAllString(value, ""); rest != value && len(rest) < 6 {
		return "it is put together of references to variables"
	}
	return placeholder(value, n)
}

func shaped(value string, list []shape) string {
	for _, s := range list {
		if s.form.MatchString(value) {
			return s.why
		}
	}
	return ""
}

// fingerprints reports whether value is one or several fingerprints.
func fingerprints(value string) bool {
	for _, f := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		if !fingerprint.MatchString(f) && !block.MatchString(f) {
			return false
		}
	}
	return true
}

// block is one of the ten groups in which fingerprints are printed.
var block = regexp.MustCompile(`(?i)^[0-9a-f]{4}$`)

// fallback returns the literal that a reference such as ${NAME:-literal} stands
// for when the variable is not set.
func fallback(value string) (string, bool) {
	m := orElse.FindStringSubmatch(value)
	if m == nil || strings.HasPrefix(m[1], "${") {
		return "", false
	}
	return unquote(m[1]), true
}

// opaque reports whether a value that could be a path is rather Base64.
func opaque(value string) bool {
	return len(value) >= 32 && dense.MatchString(value) && strings.ContainsFunc(value, isDigit) &&
		strings.ToLower(value) != value && strings.Count(value, "/") <= len(value)/16 && random(value)
}

// random reports whether a value looks made by a machine: long, of letters and
// digits, and with no character much more common than others.
func random(value string) bool {
	if len(value) < 16 || strings.ContainsAny(value, " \t\n") || !utf8.ValidString(value) {
		return false
	}
	best := value
	if !dense.MatchString(value) || strings.ToLower(value) == value {
		best = longest(strings.FieldsFunc(value, func(r rune) bool { return !alnum(byte(min(r, 0x80))) }))
	}
	return len(best) >= 16 && (mixed(best) && entropy(best) >= 2.8 || len(best) >= 20 && jumbled(best))
}

func longest(parts []string) (best string) {
	for _, p := range parts {
		if len(p) > len(best) {
			best = p
		}
	}
	return best
}

// mixed reports whether s has letters and digits.
func mixed(s string) bool {
	return strings.ContainsFunc(s, isDigit) && strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && !isDigit(r) })
}

// jumbled reports whether s has five consonants in a row, in changing case: words
// don't, and one random string of twenty letters and digits in fifty has no digit.
func jumbled(s string) bool {
	run, changes := 0, 0
	for i := range len(s) {
		if c := s[i] | 0x20; !lower(c) || strings.IndexByte("aeiou", c) >= 0 {
			run, changes = 0, 0
			continue
		}
		run++
		if run > 1 && upper(s[i]) != upper(s[i-1]) {
			changes++
		}
		if run >= 5 && changes >= 2 {
			return true
		}
	}
	return false
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// entropy is Shannon's, in bits per byte. Sixteen random characters have 3.4 or
// more, sixteen random hexadecimal digits hardly ever under 2.8.
func entropy(s string) float64 {
	var n [256]float64
	for i := range len(s) {
		n[s[i]]++
	}
	var h float64
	for _, c := range n {
		if c > 0 {
			p := c / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// sequential reports whether most characters of s follow their left neighbour in
// the alphabet, as in a form that someone typed to show a token's length.
func sequential(s string) bool {
	n := 0
	for i := 1; i < len(s); i++ {
		if s[i] == s[i-1]+1 || s[i] == s[i-1] {
			n++
		}
	}
	return n*2 > len(s)
}

// basicAuth reports whether value is "user:password" in Base64 (RFC 7617).
func basicAuth(value string) bool {
	text, ok := decode(value)
	user, pass, colon := strings.Cut(text, ":")
	return ok && colon && user != "" && len(pass) >= 3 && !strings.ContainsAny(text, " \n")
}

// decode returns the printable text that value holds in Base64 (RFC 4648).
func decode(value string) (string, bool) {
	if len(value) < 12 || !printable(value) {
		return "", false
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(value, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return "", false
		}
	}
	return string(b), true
}

// printable reports whether the first nine bytes that value may hold in Base64 are
// ASCII text. Most values are told by it that hold none.
func printable(value string) bool {
	var b [9]byte
	n, err := base64.StdEncoding.Decode(b[:], []byte(value[:12]))
	if err != nil && n < 3 {
		return strings.ContainsAny(value[:12], "-_")
	}
	for _, c := range b[:n] {
		if c >= 0x7f || c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

package secret

import (
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// level is what a check of a token's inside says.
type level uint8

const (
	wrong level = iota
	possible
	right
)

// checksummed checks the last six characters of a token, the CRC-32 in base 62 of
// what stands between its prefix and them (GitHub, "Behind GitHub's new
// authentication token formats"; npm's tokens are made so too). A token that was made
// up to show the form has none.
func checksummed(t string) level {
	_, body, _ := strings.Cut(t, "_")
	n := len(body) - 6
	if base62(crc32.ChecksumIEEE([]byte(body[:n]))) == body[n:] {
		return right
	}
	if !random(body) {
		return wrong
	}
	return possible
}

func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// mixture checks tokens of a form so short that words and names may have it: what
// follows the prefix must look made by a machine.
func mixture(t string) level {
	if !random(t) || entropy(t) < 3 || hyphenated.MatchString(t) {
		return wrong
	}
	return right
}

// hyphenated are words joined to one: "as-described-in-chapter-12".
var hyphenated = regexp.MustCompile(`^[a-z]+([-_][a-z]+)+([-_]?\d{1,4})?$`)

// introduced are the claims of tokens that introductions show: RFC 7519's, those of
// libraries' first pages, and those of a database's demonstration.
var introduced = regexp.MustCompile(`"sub":"1234567890"|"iss":"(?:supabase-demo|joe)"|"some":"payload"|"name":"John Doe"|"(?:foo|hello)":"(?:bar|world)"`)

// jwt decodes the header, a JSON object with a member "alg" (RFC 7515, 4.1.1), and
// the claims.
func jwt(t string) level {
	parts := strings.Split(t, ".")
	head, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		return wrong
	}
	var h struct {
		Alg string `json:"alg"`
	}
	if json.Unmarshal(head, &h) != nil || h.Alg == "" {
		return wrong
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	switch {
	case err != nil || !json.Valid(body):
		return wrong
	case introduced.Match(body):
		return wrong
	}
	return right
}

// besideVendor judges a value of the length of a vendor's keys by the name before it,
// which has the vendor's in it. It takes only what looks random.
func besideVendor(groups []string) (found, bool) {
	name, value := groups[1], groups[2]
	n := read(name)
	if text, ok := decode(value); ok && wordy(strings.ToLower(text)) {
		return found{}, false
	}
	if n.strength == none || sample(value) || harmless(value, n) != "" || !random(value) && !uuid.MatchString(value) || hyphenated.MatchString(value) || camel.MatchString(value) {
		return found{}, false
	}
	return found{confidence: High, reason: "it has the length of one and looks random, and the name says so", name: name}, true
}

// besideName judges a random value by the name before it alone.
func besideName(groups []string) (found, bool) {
	f, ok := besideVendor(groups)
	f.confidence, f.reason = Medium, "the name says so, and the value looks random"
	weakly := read(groups[1]).strength == weak
	known := uuid.MatchString(groups[2]) || fingerprint.MatchString(groups[2])
	return f, ok && (!weakly || !known)
}

// camel is the name of something in code.
var camel = regexp.MustCompile(`^[A-Za-z][a-z]+([A-Z][a-z]+){2,}\d{0,2}$`)

// registryToken judges what stands behind "_authToken".
func registryToken(groups []string) (found, bool) {
	value := groups[1]
	f := found{confidence: High, reason: "the name says so, and the value looks random", name: "_authToken"}
	if !random(value) && !uuid.MatchString(value) {
		f.confidence, f.reason = Medium, "the name says so, and the value is no placeholder or reference"
	}
	return f, !sample(value) && harmless(value, reading{strength: strong, kind: "token"}) == ""
}

// keyBody takes a private key that is none to show the form.
func keyBody(groups []string) (found, bool) {
	_, body, _ := strings.Cut(strings.TrimPrefix(groups[1], "-----BEGIN"), "-----")
	body = strings.NewReplacer(`\n`, "", `\r`, "", "\n", "", "\r", "", " ", "").Replace(body)
	f := found{confidence: High, reason: "it is a private key with its body"}
	if strings.Contains(groups[1], "ENCRYPTED") {
		f.confidence, f.reason = Medium, "it is a private key that only a passphrase protects"
	}
	return f, distinct(body) > 12 && !sequential(body)
}

// encodedKey takes Base64 that is a private key's.
func encodedKey(groups []string) (found, bool) {
	text, ok := decode(groups[0][:len(groups[0])&^3])
	if !ok || !strings.Contains(text, "PRIVATE KEY") {
		return found{}, false
	}
	m := pem().FindStringSubmatch(text)
	if m == nil {
		return found{}, false
	}
	return keyBody(m)
}

var pem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(keyForm) })

// authorized judges what stands in HTTP's Authorization header behind the scheme.
func authorized(value string) (found, bool) {
	f := found{confidence: High, reason: "an Authorization header holds it", name: "Authorization"}
	if sample(value) || harmless(value, reading{strength: strong, kind: "token"}) != "" {
		return f, false
	}
	if random(value) || basicAuth(value) {
		return f, true
	}
	f.confidence = Medium
	return f, len(value) >= 12 && mixed(value) && !hyphenated.MatchString(value) && !strings.ContainsAny(value, "(){}[]<>")
}

func urlPassword(groups []string) (found, bool) {
	user, pass := groups[1], groups[2]
	if pass == "x-oauth-basic" || pass == "x-token-auth" { // the token stands in the user's place
		return found{confidence: High, reason: "a token stands in it"}, random(user) && !sample(user)
	}
	return userAndPassword(groups)
}

// userAndPassword judges the last group, a password, beside the one before, the
// user's name.
func userAndPassword(groups []string) (found, bool) {
	user, pass := groups[len(groups)-2], groups[len(groups)-1]
	if plain, err := url.PathUnescape(pass); err == nil {
		pass = plain
	}
	pass = unquote(pass)
	f := found{confidence: Medium, reason: "a password stands in it"}
	switch {
	case isDefault(pass, password) || pass == user:
		f.isDefault, f.confidence, f.reason = true, 0, "a well-known default password stands in it"
	case user == "" && strings.Contains(pass, ":"), strings.Contains(pass, ")") && !strings.Contains(pass, "("):
		return f, false // other syntax: of CVS, of code
	case pass == "", inset.MatchString(pass), shaped(pass, replaced) != "", placeholder(pass, reading{kind: password}) != "":
		return f, false
	case len(pass) < 4:
		f.confidence = Low
	case random(pass), len(pass) >= 6 && mixed(pass):
		f.confidence = High
	}
	return f, true
}

// sample reports whether a token was made up to show its form, or is one that a
// vendor's documentation shows.
func sample(value string) bool {
	if filler.MatchString(value) || strings.HasSuffix(value, "EXAMPLE") || strings.HasSuffix(value, "EXAMPLEKEY") || sequential(value) {
		return true
	}
	return slices.ContainsFunc(shown, func(part string) bool { return strings.Contains(value, part) })
}

// filler is what people type to show a token's length, or to be replaced.
var filler = regexp.MustCompile(`(?i)x{6}|\*{4}|\.{3}|0{12}|1234567890ab|abcdefgh|deadbeef|example|placeholder|your[-_]|yourkey|yourtoken|yourapi|your[a-z]*here|redacted|my[-_]?(?:api|token|key|secret)|replace[-_]?(?:me|with|this)|changeme|(?:^|[-_])(?:dummy|fake|sample|mock|insert|here|test[-_]?(?:key|token|secret))(?:$|[-_])|not[-_]a[-_]real`)

// shown are parts of keys that documents print, and that code copies from there.
var shown = []string{
	"jWDarjtT1zdp7dc", "BiI2HlWgH4olfQ2", "9AhJZvU623DfE1x4sd", // Stripe, "API keys", and older pages of it
	"r/KBHBeksoGMGw==", "MsEcaGQy67XIw/Jw==", // the emulators of Azure's storage and Cosmos DB
	"2YotnFZFEjr1zCs", "tGzv3JOkF0XG5Qx", "czZCaGRSa3F0Mz", // RFC 6749
	"mF_9.B5f-4.1JqM", "ad180jjd733klru7", "h480djs93hd8", // RFC 6750, RFC 5849, the MAC draft
	"PZXDKNn8hhgu3JrA", "Gla2P1zacGjAQh", // Chromium's keys, which distributions ship
}

// distinct is how many different bytes s has.
func distinct(s string) (n int) {
	var seen [256]bool
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}

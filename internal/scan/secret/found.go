package secret

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A found is a credential that its own form gives away.
type found struct {
	kind        string
	confidence  Confidence
	reason      string
	isDefault   bool
	publishable bool
	at, n       int // of the credential itself, in the text
	name        string
}

func (f found) judgement() Judgement {
	if f.isDefault {
		return Judgement{Kind: f.kind, Default: true, Reason: f.reason}
	}
	return Judgement{Secret: true, Kind: f.kind, Confidence: f.confidence, Reason: f.reason}
}

// inValue returns the credentials that a value holds whatever its name, the
// surest first. depth counts the encodings that were opened.
func inValue(value string, depth int) []found {
	all := inForm(value)
	if len(all) == 0 && strings.ContainsAny(value, "{[") {
		all = pairs(value, jsonPair)
	}
	if len(all) == 0 && depth == 0 {
		if text, ok := decode(value); ok {
			for _, f := range inValue(text, depth+1) {
				f.kind, f.at, f.n = f.kind+" in Base64", 0, len(value)
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(rank(b), rank(a)) })
	return all
}

func rank(f found) Confidence {
	if f.isDefault {
		return 0
	}
	return f.confidence
}

// inForm returns what gives itself away in a text, in no order.
func inForm(text string) []found {
	all := privateKeys(text)
	all = append(all, tokens(text)...)
	all = append(all, urls(text)...)
	return append(all, connections(text)...)
}

var privateKey = regexp.MustCompile(`-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----(?:\s|\\n|\\r)*(?:[A-Za-z-]+: [^\n\\]*(?:\s|\\n|\\r)+)*[A-Za-z0-9+/=]{40,}`)

// privateKeys finds PEM and OpenSSH private keys that have a body (RFC 7468).
func privateKeys(text string) []found {
	var out []found
	for _, m := range privateKey.FindAllStringIndex(text, -1) {
		end := len(text)
		if i := strings.Index(text[m[1]:], "-----END "); i >= 0 {
			end = m[1] + i
		}
		out = append(out, found{kind: "private key", confidence: High, reason: "it is a private key with its body", at: m[0], n: end - m[0]})
	}
	return out
}

// tokens finds what has the form of a provider's tokens.
func tokens(text string) []found {
	var out []found
	for _, p := range providers {
		for at := 0; ; {
			i := strings.Index(text[at:], p.prefix)
			if i < 0 {
				break
			}
			i += at
			at = i + len(p.prefix)
			if i > 0 && joined(text[i-1]) {
				continue // also keeps the forms from starting again all along one long word
			}
			t := p.form.FindString(text[i:])
			if t == "" || i+len(t) < len(text) && joined(text[i+len(t)]) {
				continue
			}
			if f, ok := p.judge(t); ok {
				f.at, f.n = i, len(t)
				out = append(out, f)
			}
			at = i + len(t)
		}
	}
	return out
}

// joined reports whether c belongs to the word that it touches.
func joined(c byte) bool { return alnum(c) || c == '_' || c == '-' }

func (p provider) judge(t string) (found, bool) {
	f := found{kind: p.kind, confidence: High, reason: "it has the form of one", publishable: p.publishable}
	sure := right
	if p.valid != nil {
		sure = p.valid(t)
	} else if rest := t[len(p.prefix):]; repeated.MatchString(rest) || placeholder(rest, reading{kind: "token"}) != "" {
		sure = wrong
	}
	if sure == possible {
		f.confidence, f.reason = Low, "it has the form of one, though not its checksum"
	}
	return f, sure != wrong
}

// repeated is what people type to show a token's length.
var repeated = regexp.MustCompile(`[xX*.0]{6}`)

var userinfo = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#"'<>:@]*):([^\s/?#"'<>]+)@[^\s"'<>]`)

// urls finds passwords in the userinfo of URLs (RFC 3986, 3.2.1), and in their
// queries.
func urls(text string) []found {
	var out []found
	for _, m := range userinfo.FindAllStringSubmatchIndex(text, -1) {
		user, pass := text[m[2]:m[3]], text[m[4]:m[5]]
		if f, ok := userPassword(user, pass); ok {
			f.kind, f.at, f.n = "URL with a password", m[4], len(pass)
			out = append(out, f)
		}
	}
	if !strings.Contains(text, "://") {
		return out
	}
	for _, f := range pairs(text, query) {
		f.kind = "URL with a secret parameter"
		out = append(out, f)
	}
	return out
}

// query is one parameter. Its value ends at "?", so that no URL is looked for in it.
var query = regexp.MustCompile(`[?&]([A-Za-z][\w.-]*)=([^\s&#?"'<>]+)`)

// userPassword judges a password next to the user's name.
func userPassword(user, pass string) (found, bool) {
	if plain, err := url.PathUnescape(pass); err == nil {
		pass = plain
	}
	f := found{confidence: High, reason: "a password stands in it"}
	switch {
	case isDefault(pass) || pass == user:
		f.isDefault, f.reason = true, "a well-known default password stands in it"
	case inset.MatchString(pass), shaped(pass, replaced) != "", placeholder(pass, reading{kind: password}) != "":
		return f, false
	}
	return f, true
}

var (
	connection = regexp.MustCompile(`(?i)(?:^|[;\s"'])(password|pwd|accountkey|sharedaccesskey)\s*=\s*("[^"]*"|'[^']*'|[^;\s"']+)`)
	sqlDSN     = regexp.MustCompile(`(?:^|[\s"'=])([^\s:/@"'=]+):([^\s@"']+)@(?:tcp|unix)\(`)
)

// connections finds passwords in connection strings: keyword=value lists as
// databases take them, and user:password@tcp(host).
func connections(text string) []found {
	var out []found
	add := func(user, pass string, at int) {
		if f, ok := userPassword(user, unquote(pass)); ok {
			f.kind, f.at, f.n = "connection string with a password", at, len(pass)
			out = append(out, f)
		}
	}
	if strings.ContainsAny(text, "; ") && strings.Count(text, "=") > 1 {
		for _, m := range connection.FindAllStringSubmatchIndex(text, -1) {
			add("", text[m[4]:m[5]], m[4])
		}
	}
	for _, m := range sqlDSN.FindAllStringSubmatchIndex(text, -1) {
		add(text[m[2]:m[3]], text[m[4]:m[5]], m[4])
	}
	return out
}

package secret

import (
	"cmp"
	"regexp"
	"slices"
)

// A Hit is a credential in a text.
type Hit struct {
	Kind   string // as in Judgement
	Reason string
	Offset int    // of the credential itself, in bytes
	Length int    // in bytes
	Name   string // the variable, option, header or member that holds it; empty if none does

	Confidence Confidence
	Default    bool   // it is a well-known default password, and no leaked secret
	Pattern    string // the Name of the Pattern that it has; empty if only the name before it tells
	Own        bool   // its own form tells, not what stands round it: of two hits for one value, the one to show
}

// InText finds credentials in a command line, a label or another short text, in
// their order and each once. Well-known default passwords are none.
func InText(text string) []Hit {
	all := inForm(text)
	for _, form := range []*regexp.Regexp{assignment, jsonPair, header} {
		all = append(all, pairs(text, form)...)
	}
	all = append(all, authorization(text)...)
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.n, a.n), last(!a.own(), !b.own()))
	})
	var hits []Hit
	end := 0
	for _, f := range all {
		if f.isDefault || f.at < end {
			continue
		}
		end = f.at + f.n
		hits = append(hits, f.hit())
	}
	return hits
}

// The forms in which a name and its value stand in a text, as two groups.
var (
	assignment = regexp.MustCompile(`(?:^|[\s"'(;&|,])(?:--?)?([A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|[^\s"';&|)]+)`)
	jsonPair   = regexp.MustCompile(`\\?["']([A-Za-z_][\w.-]*)\\?["']\s*:\s*\\?["']([^"'\\]+)`)
	header     = regexp.MustCompile(`["']([A-Za-z][\w-]*):\s*([^"'\s]+)["']`)
)

// pairs judges the names and values that stand together in text.
func pairs(text string, form *regexp.Regexp) []found {
	var out []found
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		name, value, at := text[m[2]:m[3]], text[m[4]:m[5]], m[4]
		if bare := unquote(value); bare != value {
			value, at = bare, at+1
		}
		if j := Judge(name, value); j.Secret {
			out = append(out, found{kind: j.Kind, confidence: j.Confidence, reason: j.Reason, at: at, n: len(value), name: name})
		}
	}
	return out
}

var bearer = regexp.MustCompile(`(?i)(?:proxy-)?authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|token|basic|apikey|digest)\s+)([^\s"'\\]+)`)

// authorization finds the credentials of HTTP's Authorization header (RFC 9110, 11.6.2).
func authorization(text string) []found {
	var out []found
	for _, m := range bearer.FindAllStringSubmatchIndex(text, -1) {
		j := Judge("auth_token", text[m[2]:m[3]])
		if j.Secret {
			out = append(out, found{kind: "authorization header", reason: j.Reason, at: m[2], n: m[3] - m[2], name: "Authorization"})
		}
	}
	return out
}

func (f found) hit() Hit {
	return Hit{Kind: f.kind, Reason: f.reason, Offset: f.at, Length: f.n, Name: f.name, Confidence: f.confidence, Default: f.isDefault, Pattern: f.pattern, Own: f.own()}
}

// own reports whether the credential's own form tells, not what stands round it.
func (f found) own() bool { return f.pattern != "" && !f.parted }

// joined reports whether c belongs to the word that it touches.
func joined(c byte) bool { return alnum(c) || c == '_' || c == '-' }

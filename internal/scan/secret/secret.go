// Package secret says whether a name, a value or a text is a credential. It reads
// names by their words and values by their shape, does no I/O, and promises that
// nothing it returns holds the value it judged.
package secret

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Judgement is what a name and its value are together.
type Judgement struct {
	Secret     bool
	Kind       string     // "GitHub token", "password", "URL with a password"; empty if it is no credential
	Confidence Confidence // that Secret is right; 0 if it is false
	Reason     string     // why, in half a sentence that does not hold the value
	// Default is true for a well-known default password, which is no leaked
	// secret but lets everyone in. Secret is then false.
	Default bool
}

// Confidence is how sure a judgement is.
type Confidence uint8

// The confidences, least first.
const (
	Low    Confidence = iota + 1 // short, or of a known form that its checksum does not confirm
	Medium                       // the name says so, and nothing speaks against it
	High                         // the value says so itself, or it looks random under a credential's name
)

func (c Confidence) String() string { return [...]string{"none", "low", "medium", "high"}[c] }

// Judge says whether value, stored under name, is a credential. The name is that
// of a variable, argument, option, header or field; empty if there is none.
func Judge(name, value string) Judgement {
	j := judge(name, unquote(strings.TrimSpace(value)))
	if len(value) >= 6 && strings.Contains(j.Reason, value) {
		j.Reason = "" // someone's password is one of our words
	}
	return j
}

func judge(name, value string) Judgement {
	if value == "" {
		return Judgement{Reason: "it has no value"}
	}
	n := read(name)
	for _, f := range inValue(value, 0) {
		if !f.publishable || !n.public && !n.visible {
			return f.judgement()
		}
	}
	if d, ok := fallback(value); ok {
		return judge(name, d)
	}
	switch {
	case n.strength == none:
		return Judgement{Reason: n.why}
	case isDefault(value, n.kind):
		return Judgement{Kind: n.kind, Default: true, Reason: "it is a well-known default"}
	}
	if why := harmless(value, n); why != "" {
		return Judgement{Reason: why}
	}
	if n.strength == weak {
		return judgeWeak(name, value, n)
	}
	return judgeStrong(n, value)
}

// judgeStrong judges a value, which has no harmless shape, under a name that says
// it is a credential.
func judgeStrong(n reading, value string) Judgement {
	j := Judgement{Secret: true, Kind: n.kind, Confidence: Medium, Reason: "the name says so, and the value is no placeholder, path or reference"}
	switch {
	case random(value):
		j.Confidence, j.Reason = High, "the name says so, and the value looks random"
	case n.kind == password && utf8.RuneCountInString(value) < 4:
		j.Confidence = Low
	case n.kind != password && len(value) < 8:
		return Judgement{Reason: "it is too short for a " + n.kind}
	}
	return j
}

// judgeWeak judges a value under a name that also fits harmless ones: only what
// looks random, or is user and password in Base64, is a secret there.
func judgeWeak(name, value string, n reading) Judgement {
	switch {
	case basicAuth(value):
		return Judgement{Secret: true, Kind: n.kind, Confidence: High, Reason: "it is a user and a password in Base64"}
	case !random(value):
		return Judgement{Reason: "the name may be a credential's, but the value does not look random"}
	}
	for _, f := range inForm(name + "=" + value) {
		return f.judgement() // a vendor's name and the length of its keys
	}
	if uuid.MatchString(value) || fingerprint.MatchString(value) {
		return Judgement{Reason: "the name may be a credential's, but the value is an identifier or a fingerprint"}
	}
	return Judgement{Secret: true, Kind: n.kind, Confidence: Medium, Reason: "the value looks random under a credential's name"}
}

// Describe tells of a value what may be shown: its length, and up to four
// characters of a prefix that all credentials of its kind share.
func Describe(value string) string {
	n := utf8.RuneCountInString(value)
	text, shown := fmt.Sprintf("%d characters", n), ""
	if n == 1 {
		text = "1 character"
	}
	values().each(value[:min(len(value), 32)], func(p *Pattern, at int) {
		if at > 0 || p.Fold || p.lead != nil || shown != "" {
			return
		}
		if f, ok := p.at(value, 0); ok && f.at == 0 {
			i := slices.IndexFunc(p.Needles, func(needle string) bool { return strings.HasPrefix(value, needle) })
			shown = ", " + value[:min(len(p.Needles[i]), 4)] + "…"
		}
	})
	return text + shown
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

package secret

import (
	"cmp"
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
	pattern     string // of the form it has; empty if only its name tells
	parted      bool   // what stands round it tells, not it
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
	if f, ok := scheme(value); ok && len(all) == 0 {
		all = append(all, f)
	}
	if len(all) == 0 && strings.ContainsAny(value, "{[") {
		all = pairs(value, jsonPair)
	}
	if len(all) == 0 && assigns(value) {
		all = pairs(value, assignment)
	}
	if len(all) == 0 && depth == 0 {
		if text, ok := decode(value); ok {
			for _, f := range inValue(text, depth+1) {
				f.kind, f.at, f.n = f.kind+" in Base64", 0, len(value)
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(rank(b), rank(a)), last(a.parted, b.parted)) })
	return all
}

// schemes are those of HTTP's Authorization header (RFC 9110, 11.4).
var schemes = regexp.MustCompile(`^(?i:bearer|basic|token|apikey)\s+(\S{12,})$`)

// scheme finds what follows the scheme in a value for the Authorization header.
func scheme(value string) (found, bool) {
	if len(value) < 18 || strings.IndexByte("BbTtAa", value[0]) < 0 {
		return found{}, false
	}
	m := schemes.FindStringSubmatch(value)
	if m == nil {
		return found{}, false
	}
	f, ok := authorized(m[1])
	f.kind, f.at, f.n = "authorization header", len(value)-len(m[1]), len(m[1])
	return f, ok && f.confidence == High
}

// assigns reports whether a credential's name stands before a "=" in value.
func assigns(value string) bool {
	for i := 1; i < len(value); i++ {
		if value[i] != '=' || !named(value[i-1]) {
			continue
		}
		start := i
		for start > 0 && i-start < 64 && named(value[start-1]) {
			start--
		}
		if read(value[start:i]).strength != none {
			return true
		}
	}
	return false
}

// last puts what is true behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func rank(f found) Confidence {
	if f.isDefault {
		return 0
	}
	return f.confidence
}

// inForm returns what gives itself away in a text, in no order.
func inForm(text string) []found {
	var all []found
	values().each(text, func(p *Pattern, at int) {
		if f, ok := p.at(text, at); ok {
			all = append(all, f)
		}
	})
	if strings.Contains(text, "://") && strings.Contains(text, "=") {
		for _, f := range pairs(text, query) {
			f.kind = "URL with a secret parameter"
			all = append(all, f)
		}
	}
	return all
}

// query is one parameter. Its value ends at "?", so that no URL is looked for in it.
var query = regexp.MustCompile(`[?&]([A-Za-z][\w.-]*)=([^\s&#?"'<>]+)`)

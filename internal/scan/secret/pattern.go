package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Pattern is one form in which credentials stand in text: that of a vendor's
// tokens, or of something like a private key. To search bytes, look for the
// needles of all patterns and ask At about each place where one is found.
type Pattern struct {
	Name   string // unique and stable: "github-fine-grained-token"
	Vendor string // who issues it: "GitHub"; empty for forms that have no one issuer
	Kind   string // what a finding calls it: "GitHub token"
	// Needles are literals of at least three bytes, in lower case if Fold. Every
	// credential of this form holds one of them, or has it just before itself.
	Needles []string
	Fold    bool // the needles stand in any case of their letters
	// Generic is true where only the name before a random value tells. Such forms
	// are found in minified and other generated files too, where nothing is secret.
	Generic bool

	form        string                              // a regular expression for all of it; groups: none, the credential, or its name and it
	lead        func(byte) bool                     // what may stand in it before a needle; nil if it begins there
	open        bool                                // its ends may touch other words
	sign        byte                                // stands behind the needle in every match, and seldom elsewhere; 0 if none does
	longest     int                                 // in bytes, from the needle on; 0 for 512
	publishable bool                                // some are meant to be seen: a public name clears it
	check       func(string) level                  // of the credential's inside
	judge       func(groups []string) (found, bool) // instead of check, for forms with parts
	compiled    func() *regexp.Regexp
}

// Longest is how many bytes At reads at most from a needle on; before it, it reads
// fewer. Windows that overlap by twice as much hold every credential, with what
// stands round it, whole in one of them. A longer credential is cut there.
const Longest = 16 << 10

// before is how many bytes of a form, and of what it must not touch, stand at most
// before a needle.
const before = 256

// Patterns returns all patterns, in a fixed order. The slice is the caller's, the
// patterns are not.
func Patterns() []*Pattern { return slices.Clone(patterns()) }

var patterns = sync.OnceValue(func() []*Pattern {
	var all []*Pattern
	for _, group := range [][]Pattern{codeHosts, registries, clouds, databases, models, messengers, payments, monitors, services, contexts, forms} {
		for _, p := range group {
			if p.longest == 0 {
				p.longest = 512
			}
			p.compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + p.form + ")") })
			all = append(all, &p)
		}
	}
	return all
})

// At returns the credential that the needle of p at byte hit of window belongs
// to. It is false if that is no credential: the form is not there, it is part of
// a longer word, or it is a placeholder or a vendor's example. The edges of the
// window count as the edges of the text. A well-known default password is a Hit
// whose Default is true.
func (p *Pattern) At(window []byte, hit int) (Hit, bool) {
	from, to := max(0, hit-before), min(len(window), hit+p.longest+1)
	f, ok := p.at(string(window[from:to]), hit-from)
	f.at += from
	return f.hit(), ok
}

func (p *Pattern) at(text string, hit int) (found, bool) {
	from := hit
	for p.lead != nil && from > 0 && hit-from < before-2 && p.lead(text[from-1]) {
		from--
	}
	if from > 0 && from < hit && text[from-1] == '\\' && strings.IndexByte("nrt", text[from]) >= 0 {
		from++ // of an escape such as \n
	}
	if !p.open && touches(text, from) {
		return found{}, false
	}
	rest := text[from:min(len(text), hit+p.longest)]
	if p.sign != 0 && strings.IndexByte(rest[hit-from:], p.sign) < 0 {
		return found{}, false
	}
	m := p.compiled().FindStringSubmatchIndex(rest)
	if m == nil || m[1] <= hit-from || !p.open && from+m[1] < len(text) && joined(text[from+m[1]]) {
		return found{}, false
	}
	groups := make([]string, 0, 3)
	for i := 0; i < len(m); i += 2 {
		groups = append(groups, rest[max(m[i], 0):max(m[i+1], 0)])
	}
	f, ok := p.decide(groups)
	f.at, f.n = from+m[len(m)-2], m[len(m)-1]-m[len(m)-2]
	return f, ok
}

// touches reports whether the word that begins at from goes on before it. The
// letter of an escape such as \n is no part of a word.
func touches(text string, from int) bool {
	if from == 0 || !joined(text[from-1]) {
		return false
	}
	last := text[from-1]
	return from < 2 || text[from-2] != '\\' || last != 'n' && last != 'r' && last != 't'
}

// decide judges what the form matched: all of it, then its groups.
func (p *Pattern) decide(groups []string) (found, bool) {
	f := found{kind: p.Kind, pattern: p.Name, confidence: High, reason: "it has the form of one", publishable: p.publishable}
	if p.judge != nil {
		g, ok := p.judge(groups)
		g.kind, g.pattern, g.publishable, g.parted = p.Kind, p.Name, p.publishable, true
		return g, ok
	}
	value := groups[len(groups)-1]
	sure := right
	if sample(value) {
		sure = wrong
	} else if p.check != nil {
		sure = p.check(value)
	}
	if sure == possible {
		f.confidence, f.reason = Low, "it has the form of one, though not its checksum"
	}
	return f, sure != wrong
}

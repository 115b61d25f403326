// Package rules holds the rules, one per file.
//
// A rule file declares itself with register; nothing else names it. Its page is
// docs/<id>.md, its fixtures live in testdata/images/<rule name>/.
package rules

import (
	"cmp"
	"embed"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

var all []*scan.Rule

func register(r *scan.Rule) *scan.Rule { //nolint:unparam // the result is what a package variable needs
	all = append(all, r)
	return r
}

// All returns every rule, ordered by ID.
func All() []*scan.Rule {
	return slices.SortedFunc(slices.Values(all), func(a, b *scan.Rule) int { return cmp.Compare(a.ID, b.ID) })
}

// Find returns the rule with the given ID or name, whatever its case; nil if
// there is none.
func Find(idOrName string) *scan.Rule {
	for _, r := range all {
		if strings.EqualFold(r.ID, idOrName) || strings.EqualFold(r.Name, idOrName) {
			return r
		}
	}
	return nil
}

//go:embed docs/*.md
var docs embed.FS

// A Page is what docs/<id>.md says of a rule: the whole Markdown text, and the
// text below each of its headings.
type Page struct {
	Markdown string
	sections map[string]string
}

// The headings of a page, in their order.
const (
	WhatItFinds  = "What it finds"
	WhyItMatters = "Why it matters"
	Bad          = "Bad"
	Good         = "Good"
	HowToFix     = "How to fix"
	WhenToIgnore = "When to ignore"
	References   = "References"
)

// Headings returns the headings that every page has, in their order.
func Headings() []string {
	return []string{WhatItFinds, WhyItMatters, Bad, Good, HowToFix, WhenToIgnore, References}
}

// Doc returns the page of the rule with the given ID; empty if there is none.
func Doc(id string) Page {
	b, err := docs.ReadFile("docs/" + id + ".md")
	if err != nil {
		return Page{}
	}
	return parsePage(string(b))
}

func parsePage(text string) Page {
	p := Page{Markdown: text, sections: map[string]string{}}
	for i, part := range strings.Split(text, "\n## ") {
		if i == 0 {
			continue // title and facts, generated from the rule
		}
		heading, body, _ := strings.Cut(part, "\n")
		p.sections[heading] = strings.TrimSpace(body)
	}
	return p
}

// Section returns the Markdown text below a heading.
func (p Page) Section(heading string) string { return p.sections[heading] }

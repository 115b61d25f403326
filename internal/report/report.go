// Package report writes the results of a run: one file per format. It promises
// that every format tells the same findings in the same order, that equal results
// give equal bytes, that no foreign string reaches a reader without Clean, and
// that text which may hold a secret is not quoted.
package report

import (
	"path/filepath"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Report is all that a run has to tell.
type Report struct {
	Tool    Tool
	Rules   []*scan.Rule // all of this version, in any order
	Targets []Target
	Failed  []FailedTarget

	// Docs returns the page of a rule; nil if there are no pages.
	Docs func(id string) RuleDoc
	// RepoPath turns the path of a Dockerfile, as the user gave it, into one
	// relative to the root of its repository; nil if they are the same.
	RepoPath func(path string) string
	// Snippet returns lines start to end (1-based, inclusive) of a Dockerfile;
	// fewer if there are fewer. Nil if the text shows none.
	Snippet func(path string, start, end int) []string
	// Source returns the whole text of a Dockerfile or manifest, byte by byte; nil
	// if it is not known. Nil if no line is told by its hash.
	Source func(path string) []byte
	// Mask hides the secrets in a line of a Dockerfile or of an image's history, and
	// in whatever else a target or its user named. Nil means that nobody can, and
	// then no such line is quoted.
	Mask func(line string) string
	// ShowIgnored tells also of the findings that are accepted or old; else they are
	// only counted. JSON has them always.
	ShowIgnored bool
	// TextBytes is the longest foreign string to print; 0 for the default limit.
	TextBytes int
}

// Tool says which program wrote the report.
type Tool struct {
	Name    string
	Version string // "1.2.3", without a v
	URI     string // of its home page; empty if none
}

// RuleDoc is what the page of a rule says, in Markdown.
type RuleDoc struct {
	Finds    string // what it finds
	Why      string // why that matters
	Fix      string // how to fix it; the first sentence is the text's help line
	Markdown string // the whole page
	URI      string // where the page can be read; empty if nowhere
}

// A Target is one audited target.
type Target struct {
	Result    *scan.Result
	Checklist []policy.Verdict
}

// A FailedTarget is a target that could not be opened, so nothing is known of it.
type FailedTarget struct {
	Name    string // as the user typed it
	Message string // what happened; one clause
	Hint    string // what the user can do; may be empty
}

// Complete reports whether all that was to be audited was audited.
func (r *Report) Complete() bool {
	for _, t := range r.Targets {
		if !t.Result.Complete() {
			return false
		}
	}
	return len(r.Failed) == 0
}

func (r *Report) limit() int {
	if r.TextBytes > 0 {
		return r.TextBytes
	}
	return limits.Default().TextBytes
}

// clean is Clean for one foreign string, without the secrets that may stand even
// in a path or in the name of a base image.
func (r *Report) clean(s string) string { return Clean(r.masked(s), r.limit()) }

// sentence is clean for a message, which may quote several foreign strings.
func (r *Report) sentence(s string) string { return Clean(r.masked(s), 4*r.limit()) }

func (r *Report) masked(s string) string {
	if r.Mask == nil {
		return s
	}
	return r.Mask(s[:min(len(s), max(maskBytes, 8*r.limit()))])
}

// maskBytes is how much of a string is searched for secrets. It is more than is
// ever printed, and what is not searched is not printed either.
const maskBytes = 16 << 10

func (r *Report) doc(id string) RuleDoc {
	if r.Docs == nil {
		return RuleDoc{}
	}
	return r.Docs(id)
}

func (r *Report) repoPath(path string) string {
	if r.RepoPath != nil {
		path = r.RepoPath(path)
	}
	return filepath.ToSlash(path)
}

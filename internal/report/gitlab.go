package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// An issue is what GitLab reads of one code quality issue
// (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format").
type issue struct {
	Description string        `json:"description"`
	CheckName   string        `json:"check_name"`
	Fingerprint string        `json:"fingerprint"`
	Severity    string        `json:"severity"`
	Location    issueLocation `json:"location"`
}

type issueLocation struct {
	Path  string     `json:"path"`
	Lines issueLines `json:"lines"`
}

type issueLines struct {
	Begin int `json:"begin"`
}

// GitLab writes r as a code quality report, the worst issues first. What was not
// audited is an issue too, so that an audit that was cut short is not taken for one
// that found nothing. No two issues share a fingerprint, since GitLab would show
// only one of them. The report has no place for a number or for an issue that is none:
// ignored findings are left out, or if asked for, are issues that say so, at info.
func GitLab(w io.Writer, r *Report) error {
	issues := r.unreadIssues()
	var found []issue
	var levels []scan.Level
	for _, t := range r.Targets {
		names, _ := r.names(t.Result)
		for i, f := range t.Result.Findings {
			found = append(found, r.issue(&t.Result.Target, f, names[i]))
			levels = append(levels, f.Level)
		}
	}
	for l := scan.LevelError; l >= scan.LevelNote; l-- {
		for i := range found {
			if levels[i] == l {
				issues = append(issues, found[i])
			}
		}
	}
	issues = append(issues, r.ignoredIssues()...)
	unlike(issues)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(issues)
}

func (r *Report) issue(t *scan.Target, f *scan.Finding, fingerprint string) issue {
	path, line := r.repositoryPlace(t, f.At)
	return issue{
		Description: f.Rule.ID + " " + f.Rule.Name + ": " + r.named(member{target: t, finding: f}) + r.story(f, t),
		CheckName:   f.Rule.ID, Fingerprint: fingerprint, Severity: severity(f),
		Location: issueLocation{path, issueLines{line}},
	}
}

// ignoredIssues are the findings that are accepted or old, if that was asked for.
func (r *Report) ignoredIssues() []issue {
	var out []issue
	for _, t := range r.Targets {
		if !r.ShowIgnored {
			break
		}
		_, names := r.names(t.Result)
		for i, f := range t.Result.Ignored {
			issue := r.issue(&t.Result.Target, f, names[i])
			issue.Description = "ignored: " + issue.Description + " (" + r.sentence(policy.Acceptance(f.Ignored)) + ")"
			issue.Severity = "info"
			out = append(out, issue)
		}
	}
	return out
}

// severity is a finding's in GitLab's words.
func severity(f *scan.Finding) string {
	const blocker = 9 // as SARIF's security-severity calls it critical
	switch {
	case f.Level == scan.LevelError && f.Rule.Severity >= blocker:
		return "blocker"
	case f.Level == scan.LevelError:
		return "critical"
	case f.Level == scan.LevelWarning:
		return "major"
	}
	return "info"
}

// unreadIssues tell what was not audited and no finding says.
func (r *Report) unreadIssues() []issue {
	issues := []issue{}
	add := func(description, hint, path string, line int) {
		sum := sha256.Sum256([]byte(path + "\x00" + description))
		issues = append(issues, issue{
			Description: join("not audited: "+description, hint), CheckName: "not-audited", Fingerprint: hex.EncodeToString(sum[:16]),
			Severity: "blocker", Location: issueLocation{cmp.Or(strings.TrimLeft(path, "/"), "image"), issueLines{max(1, line)}},
		})
	}
	for _, f := range r.Failed {
		add(r.sentence(f.Message), r.sentence(f.Hint), r.clean(f.Name), 1)
	}
	for _, t := range r.Targets {
		for _, g := range r.untold(t.Result) {
			path, line := r.repositoryPlace(&t.Result.Target, scan.Location{Source: g.Source})
			add(r.targetName(t.Result.Target.Name)+": "+r.tell(g), g.Hint, path, line)
		}
	}
	return issues
}

// repositoryPlace is where a location is in the repository, or line 1 of a path
// that stands for what it is in the image.
func (r *Report) repositoryPlace(t *scan.Target, at scan.Location) (path string, line int) {
	if !at.Source.IsZero() {
		return r.clean(r.repoPath(at.Source.Path)), at.Lines().Start
	}
	path = r.shortName(t)
	if s := r.clean(subject(at)); s != "" {
		path += "/" + strings.TrimLeft(s, "/")
	}
	return path, 1
}

// unlike numbers fingerprints that stand for several issues, as where two targets
// were built from one Dockerfile.
func unlike(issues []issue) {
	seen := map[string]int{}
	for i := range issues {
		name := issues[i].Fingerprint
		if seen[name]++; seen[name] > 1 {
			issues[i].Fingerprint = fmt.Sprintf("%s+%d", name, seen[name])
		}
	}
}

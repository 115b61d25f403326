package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// GitHub writes r as workflow commands, which GitHub Actions reads from the log of
// a step and shows as annotations on the lines they name: what was not audited
// first, then the findings, the worst first. GitHub shows ten annotations of a kind
// per step, so what is over that is told as plain lines, and a last annotation
// says how many they are. Ignored findings are plain lines too, if asked for.
func GitHub(w io.Writer, r *Report) error {
	shown, left := annotationsWithin(r.annotations())
	var b strings.Builder
	for _, a := range shown {
		b.WriteString(a.command())
	}
	for _, t := range r.Targets {
		var answers []string
		for _, v := range t.Checklist {
			answers = append(answers, v.Step.String()+" "+v.Answer.String())
		}
		fmt.Fprintf(&b, "checklist of %s: %s\n", r.targetName(t.Result.Target.Name), strings.Join(answers, ", "))
		for _, g := range r.ignored(t.Result) {
			fmt.Fprintf(&b, "ignored: %s\n", r.tell(g))
		}
	}
	fmt.Fprintf(&b, "in all: %s\n", r.totals())
	for _, a := range left {
		b.WriteString(a.unshown())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// An annotation is one remark on a line of the repository, or on the run.
type annotation struct {
	level     scan.Level
	title     string
	file      string // relative to the repository; empty if the run as a whole is meant
	line, end int
	text      string
	hint      string
}

// annotationsPerKind is how many errors, warnings and notices GitHub shows of one step.
const annotationsPerKind = 10

// annotationsWithin parts annotations into those that are shown and those that are
// not. If any is not, the last one shown says so.
func annotationsWithin(all []annotation) (shown, left []annotation) {
	fit := func(notices int) {
		var n [scan.LevelError + 1]int
		shown, left = nil, nil
		for _, a := range all {
			most := annotationsPerKind
			if a.level == scan.LevelNote {
				most = notices
			}
			if n[a.level]++; n[a.level] > most {
				left = append(left, a)
			} else {
				shown = append(shown, a)
			}
		}
	}
	if fit(annotationsPerKind); len(left) == 0 {
		return shown, nil
	}
	fit(annotationsPerKind - 1)
	return append(shown, annotation{level: scan.LevelNote, title: "sandbox-audit", text: plural(len(left), "more finding") + " in the log of this step"}), left
}

// annotations are all that r has to tell, the worst first.
func (r *Report) annotations() []annotation {
	var out []annotation
	for _, f := range r.Failed {
		out = append(out, annotation{level: scan.LevelError, title: "not audited", text: r.targetName(f.Name) + ": " + r.sentence(f.Message), hint: r.sentence(f.Hint)})
	}
	for _, t := range r.Targets {
		for _, g := range r.untold(t.Result) {
			a := annotation{level: scan.LevelError, title: "not audited", text: r.targetName(t.Result.Target.Name) + ": " + r.tell(g), hint: g.Hint}
			if !g.Source.IsZero() {
				a.file, a.line, a.end = r.clean(r.repoPath(g.Source.Path)), g.Source.Start, g.Source.End
			}
			out = append(out, a)
		}
	}
	var found []annotation
	for _, t := range r.Targets {
		for _, f := range t.Result.Findings {
			found = append(found, r.annotation(&t.Result.Target, f))
		}
	}
	slices.SortStableFunc(found, func(a, b annotation) int { return cmp.Compare(b.level, a.level) })
	return append(out, found...)
}

func (r *Report) annotation(t *scan.Target, f *scan.Finding) annotation {
	a := annotation{level: f.Level, title: f.Rule.ID + " " + f.Rule.Name, text: r.named(member{target: t, finding: f}) + r.story(f, t), hint: firstSentence(r.doc(f.Rule.ID).Fix)}
	if s := f.At.Lines(); !s.IsZero() {
		a.file, a.line, a.end = r.clean(r.repoPath(s.Path)), s.Start, s.End
	}
	return a
}

// storyNotes is how many notes of a finding are told where there is room for a sentence.
const storyNotes = 3

// story is what the notes of a finding add to its message, on the same line.
func (r *Report) story(f *scan.Finding, t *scan.Target) string {
	text := ""
	for i, n := range f.Notes {
		if i == storyNotes {
			return text + fmt.Sprintf("; and %d more", len(f.Notes)-i)
		}
		text += "; " + r.told(n, t)
	}
	return text
}

// command is an annotation as GitHub reads it.
func (a annotation) command() string {
	var props []string
	if a.file != "" {
		props = append(props, "file="+commandValue(a.file), fmt.Sprintf("line=%d,endLine=%d", a.line, max(a.line, a.end)))
	}
	props = append(props, "title="+commandValue(a.title))
	text := a.text
	if a.hint != "" {
		text += "\nhelp: " + a.hint
	}
	kind := map[scan.Level]string{scan.LevelError: "error", scan.LevelWarning: "warning", scan.LevelNote: "notice"}[a.level]
	return fmt.Sprintf("::%s %s::%s\n", kind, strings.Join(props, ","), commandData(text))
}

// unshown is an annotation that GitHub would not show, as a line of the log.
func (a annotation) unshown() string {
	where := ""
	if a.file != "" {
		where = fmt.Sprintf(" %s:%d", a.file, a.line)
	}
	return fmt.Sprintf("%s: %s%s %s\n", a.level, a.title, where, a.text)
}

// What the runner decodes in the text and in the values of a command's properties
// (actions/toolkit, command.ts).
var (
	dataEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	valueEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func commandData(s string) string  { return dataEscapes.Replace(s) }
func commandValue(s string) string { return valueEscapes.Replace(s) }

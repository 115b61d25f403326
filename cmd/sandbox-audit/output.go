package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// An output is one -o: a format and where it goes.
type output struct {
	format string
	file   string // empty for standard output
}

// parseOutputs reads every -o FORMAT[=FILE]; the one for standard output comes last.
func (o *options) parseOutputs() ([]output, error) {
	var out, last []output
	for _, s := range o.outputs {
		format, file, named := strings.Cut(s, "=")
		if !slices.Contains(formats, format) {
			return nil, didYouMean(fmt.Errorf("-o %s: there is no format %q", s, format), format, formats)
		}
		if named && file == "" {
			return nil, fmt.Errorf("-o %s: no file is named", s)
		}
		if file == "-" {
			file = ""
		}
		switch {
		case file != "":
			out = append(out, output{format, file})
		case last != nil:
			return nil, &hinted{fmt.Errorf("-o %s: only one format can go to standard output", s), fmt.Sprintf("give it a file: -o %s=FILE", format)}
		default:
			last = []output{{format, ""}}
		}
	}
	return append(out, last...), nil
}

// write makes every output, standard output last: whoever reads it may leave
// before its end.
func (a *audit) write() error {
	r := a.report()
	var errs []error
	for _, o := range a.outputs {
		if o.format == "text" && o.file == "" && len(a.results) == 0 {
			continue // there is nothing but what standard error says
		}
		errs = append(errs, o.write(a.proc.stdout, func(w io.Writer) error { return a.render(w, o, r) }))
	}
	return errors.Join(errs...)
}

// report is what the audit has to tell.
func (a *audit) report() *report.Report {
	r := &report.Report{
		Tool:  report.Tool{Name: "sandbox-audit", Version: buildVersion(), URI: homepage},
		Rules: rules.All(), Failed: a.failed, Docs: ruleDoc, RepoPath: remembered(repoPath), Snippet: a.texts.snippets(), Mask: remembered(secret.Mask),
		Source:    func(path string) []byte { return a.texts[path] },
		TextBytes: a.limits.TextBytes, ShowIgnored: a.showIgnored,
	}
	for _, res := range a.results {
		r.Targets = append(r.Targets, report.Target{Result: res, Checklist: policy.Checklist(res)})
	}
	return r
}

// render writes r in the format of one output.
func (a *audit) render(w io.Writer, o output, r *report.Report) error {
	switch o.format {
	case "json":
		return report.JSON(w, r)
	case "sarif":
		return report.SARIF(w, r)
	case "github":
		return report.GitHub(w, r)
	case "junit":
		return report.JUnit(w, r)
	case "gitlab":
		return report.GitLab(w, r)
	case "markdown":
		return report.Markdown(w, r)
	case "html":
		return report.HTML(w, r)
	}
	opt := report.TextOptions{Color: a.colour(o)}
	if o.file == "" {
		opt.Width = width(a.proc.stdout)
	}
	return report.Text(w, r, opt)
}

// colour follows --color, then NO_COLOR (no-color.org), then the terminal.
func (a *audit) colour(o output) bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	forced := func(name string) bool {
		v := a.proc.getenv(name)
		return v != "" && v != "0"
	}
	switch {
	case o.file != "" || a.proc.getenv("NO_COLOR") != "":
		return false
	case forced("FORCE_COLOR") || forced("CLICOLOR_FORCE"):
		return true
	}
	return isTerminal(a.proc.stdout) && a.proc.getenv("TERM") != "dumb" && a.proc.getenv("CLICOLOR") != "0"
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is that of the terminal; 0 if there is none.
func width(w any) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// write makes the output with render. A file appears whole or not at all.
func (o output) write(stdout io.Writer, render func(io.Writer) error) error {
	var b bytes.Buffer
	err := render(&b)
	if err != nil {
		return fmt.Errorf("writing %s: %w", o.format, err)
	}
	name := o.file
	switch info, statErr := os.Stat(o.file); {
	case o.file == "":
		name = "standard output"
		_, err = stdout.Write(b.Bytes())
	case statErr == nil && !info.Mode().IsRegular():
		err = os.WriteFile(o.file, b.Bytes(), 0o644) // a device or pipe has no name to rename to
	default:
		err = replace(o.file, b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, cause(err))
	}
	return nil
}

// replace writes beside a file and renames, so that nobody reads half of it. A
// link stays one.
func replace(file string, b []byte) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

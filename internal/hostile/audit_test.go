package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// bodies keeps the text of small files.
var bodies = &image.Probe[string]{
	Name: "bodies", Version: 1,
	Want: func(e image.Entry) bool { return e.Size > 0 && e.Size < 100 },
	Read: func(_ image.Entry, b []byte) (string, bool) { return string(b), true },
}

// An outcome is all that a user gets of an audit.
type outcome struct {
	results []*scan.Result
	err     error // the target could not be opened
	lim     limits.Limits
	tree    string // what a container sees, as Case tells it
}

// complete reports whether the audit says that it saw all.
func (o *outcome) complete() bool {
	return o.err == nil && !slices.ContainsFunc(o.results, func(r *scan.Result) bool { return !r.Complete() })
}

// decide returns the exit code and the reason, where warnings are stopped.
func (o *outcome) decide() (code int, reason string) {
	var failed []string
	if o.err != nil {
		failed = []string{"target"}
	}
	code, reason = policy.Gate{FailOn: scan.LevelWarning}.Decide(o.results, failed)
	return code, report.Clean(reason, 4*o.lim.TextBytes)
}

// brief is an outcome for the message of a test.
func (o *outcome) brief() string {
	_, s := o.decide()
	if _, remarks, ok := strings.Cut(o.outputs()["text"], "\nremarks\n"); ok {
		s += "\nremarks: " + remarks
	}
	if o.err != nil {
		s += "\n" + o.err.Error()
	}
	return strings.ToValidUTF8(s+"\n"+findings(o), "?")
}

// classOf is what an audit did, by its text.
func classOf(o *outcome, text string) Class {
	switch {
	case o.err != nil:
		return Refuse
	case !o.complete():
		return Partial
	}
	for _, r := range o.results {
		if len(r.Findings) > 0 {
			return Finding
		}
	}
	if strings.Contains(text, "\nremarks\n") {
		return Note
	}
	return Plain
}

// newScanner is a scanner with the probes of all rules.
func newScanner(lim limits.Limits) *image.Scanner {
	return image.NewScanner(append(scan.Probes(rules.All()), bodies), lim)
}

// auditFile audits an image in a file or directory.
func auditFile(ctx context.Context, path string, lim limits.Limits) *outcome {
	return auditImage(ctx, path, lim, nil, nil, nil)
}

// auditPipe audits an image that comes through a pipe.
func auditPipe(ctx context.Context, r io.Reader, lim limits.Limits) *outcome {
	return auditImage(ctx, "-", lim, r, nil, nil)
}

// auditImage audits a target; change, if any, is done to what was opened, and known,
// if any, holds what was read before.
func auditImage(ctx context.Context, target string, lim limits.Limits, stdin io.Reader, known *image.Known, change func(*image.Source)) *outcome {
	s := newScanner(lim)
	s.Known = known
	opened, err := source.Open(ctx, target, source.Options{Scanner: s, Stdin: stdin, Host: "linux/amd64"})
	if err != nil {
		return finish(nil, err, lim)
	}
	defer opened.Close()
	var results []*scan.Result
	for _, src := range opened.Sources {
		if change != nil {
			change(src)
		}
		img, err := s.Load(ctx, src)
		if err != nil {
			return finish(results, err, lim)
		}
		results = append(results, scan.Run(scan.Target{Name: src.Name, Kind: src.Kind, Digest: src.Digest, Image: img}, rules.All(), scan.Options{}, lim))
	}
	return finish(results, nil, lim)
}

// auditDockerfile audits a Dockerfile without a build context.
func auditDockerfile(ctx context.Context, text []byte, lim limits.Limits) *outcome {
	f, err := dockerfile.Parse("Dockerfile", text, lim)
	if err != nil {
		return finish(nil, err, lim)
	}
	b, err := f.Build("", nil)
	if err != nil {
		return finish(nil, err, lim)
	}
	img, err := scan.Predict(ctx, newScanner(lim), b, nil, "")
	if err != nil {
		return finish(nil, err, lim)
	}
	res := scan.Run(scan.Target{Name: "Dockerfile", Kind: "dockerfile", Image: img, Build: b}, rules.All(), scan.Options{}, lim)
	return finish([]*scan.Result{res}, nil, lim)
}

// finish is what a user gets of results, or of an error.
func finish(results []*scan.Result, err error, lim limits.Limits) *outcome {
	o := &outcome{results: results, err: err, lim: lim}
	for _, res := range results {
		o.tree += tree(res.Target.Image)
	}
	o.tree = strings.Join(slices.Sorted(strings.SplitSeq(strings.TrimSpace(o.tree), "\n")), " ")
	return o
}

// outputs are what the command prints, by format.
func (o *outcome) outputs() map[string]string {
	r := &report.Report{Tool: report.Tool{Name: "sandbox-audit", Version: "0.0.0"}, Rules: rules.All(), Mask: secret.Mask, TextBytes: o.lim.TextBytes}
	for _, res := range o.results {
		r.Targets = append(r.Targets, report.Target{Result: res, Checklist: policy.Checklist(res)})
	}
	if o.err != nil {
		r.Failed = []report.FailedTarget{{Name: "target", Message: o.err.Error(), Hint: hintOf(o.err)}}
	}
	_, reason := o.decide()
	out := map[string]string{"reason": reason}
	for format, write := range map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return report.Text(w, r, report.TextOptions{Width: 1 << 20}) },
		"json":     func(w io.Writer) error { return report.JSON(w, r) },
		"sarif":    func(w io.Writer) error { return report.SARIF(w, r) },
		"github":   func(w io.Writer) error { return report.GitHub(w, r) },
		"junit":    func(w io.Writer) error { return report.JUnit(w, r) },
		"gitlab":   func(w io.Writer) error { return report.GitLab(w, r) },
		"markdown": func(w io.Writer) error { return report.Markdown(w, r) },
		"html":     func(w io.Writer) error { return report.HTML(w, r) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			out[format] = "not written: " + err.Error()
			continue
		}
		out[format] = b.String()
	}
	return out
}

func hintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// tree is what a container of the image sees, a line for each file.
func tree(img *image.Image) string {
	var b strings.Builder
	for f := range img.Files() {
		if !f.Live() || f.Mode.IsDir() {
			continue
		}
		b.WriteString(f.Path)
		if body, ok := bodies.Of(f); ok {
			b.WriteString("=" + body)
		} else if f.Mode.Type() == fs.ModeSymlink {
			b.WriteString("->" + f.Link)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// write puts an input into a directory and returns the target.
func write(t testing.TB, in Input) string {
	t.Helper()
	dir := t.TempDir()
	if in.Archive != nil {
		p := filepath.Join(dir, "image.tar")
		if err := os.WriteFile(p, in.Archive, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	place := func(name string) string {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(p), 0o755))
		return p
	}
	for name, body := range in.Layout {
		must(os.WriteFile(place(name), body, 0o600))
	}
	for name, target := range in.Links {
		must(os.Symlink(target, place(name)))
	}
	for _, name := range in.Pipes {
		must(makePipe(place(name)))
	}
	return dir
}

// differ says how two outcomes of one image differ in what they found; empty if
// they do not.
func differ(got, want *outcome) string {
	switch {
	case got.tree != want.tree:
		return fmt.Sprintf("files\n%s\ninstead of\n%s", got.tree, want.tree)
	case findings(got) != findings(want):
		return fmt.Sprintf("findings\n%s\ninstead of\n%s", findings(got), findings(want))
	}
	return ""
}

func findings(o *outcome) string {
	var b strings.Builder
	for _, r := range o.results {
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "%s %s: %s\n", f.Rule.ID, f.At.Path, f.Message)
		}
	}
	return b.String()
}

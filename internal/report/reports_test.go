package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

const both = scan.InImage | scan.InDockerfile

var (
	notAudited   = &scan.Rule{ID: "SBX001", Name: "not-audited", Title: "something could not be read", Step: scan.Audit, Level: scan.LevelError, Severity: 8, CWE: []int{693}, Where: both}
	pythonSource = &scan.Rule{ID: "SBX101", Name: "python-source", Title: "first-party Python source is in the image", Step: scan.Bytecode, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{540}, Where: both}
	rootUser     = &scan.Rule{ID: "SBX201", Name: "root-user", Title: "the container starts as root and no drop is shown", Step: scan.Privilege, Level: scan.LevelError, Severity: 8, CWE: []int{250, 78}, Where: both}
	fileCaps     = &scan.Rule{ID: "SBX207", Name: "file-capability", Title: "a file capability gives root away", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250}, Where: scan.InImage}
	secretInEnv  = &scan.Rule{ID: "SBX301", Name: "secret-in-env", Title: "a secret stands in the image's environment", Step: scan.Environment, Level: scan.LevelError, Severity: 8, CWE: []int{526}, Where: both}
	buriedSecret = &scan.Rule{ID: "SBX305", Name: "secret-in-lower-layer", Title: "a credential is in a lower layer", Step: scan.Environment, Level: scan.LevelError, Severity: 8, CWE: []int{538}, Where: both}
	exposedPort  = &scan.Rule{ID: "SBX401", Name: "exposed-port", Title: "a port for logins, control or debugging is exposed", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{1327}, Where: both}
	egressOpen   = &scan.Rule{ID: "SBX508", Name: "egress-open", Title: "nothing confines outgoing traffic", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, Where: scan.InManifest}
)

// catalogue is in no order: the formats sort.
func catalogue() []*scan.Rule {
	return []*scan.Rule{egressOpen, exposedPort, buriedSecret, secretInEnv, fileCaps, rootUser, pythonSource, notAudited}
}

func docs(id string) RuleDoc {
	if id != "SBX201" {
		return RuleDoc{}
	}
	return RuleDoc{
		Finds:    "The container starts as `uid 0`.",
		Why:      "Root in a container is root for everything the image holds, see [the manual](https://example.org/root).",
		Fix:      "End the Dockerfile with a numeric USER, e.g. `USER 10001:10001`, after everything that\nneeds root. If the start needs root, drop it.\n\nMore.",
		Markdown: "# SBX201\n\n## What it finds\n\nThe container starts as `uid 0`.\n",
		URI:      "https://example.org/rules/SBX201.md",
	}
}

const dockerfileText = `FROM python:3.13-slim
ENV API_KEY=not-to-be-quoted
RUN --network=host make \
    one \
	two \
    three \
    four \
    five \
    six
COPY . /app
RUN rm /app/key
EXPOSE 22
`

func snippet(_ string, start, end int) []string {
	lines := strings.Split(dockerfileText, "\n")
	if start > len(lines) {
		return nil
	}
	return lines[start-1 : min(end, len(lines))]
}

func newReport(results ...*scan.Result) *Report {
	r := &Report{
		Tool:  Tool{Name: "sandbox-audit", Version: "1.2.3", URI: "https://example.org/sandbox-audit"},
		Rules: catalogue(), Docs: docs, Snippet: snippet,
		RepoPath: func(p string) string { return "docker/" + p },
		Mask:     func(line string) string { return strings.ReplaceAll(line, "make", "[masked]") },
	}
	for _, res := range results {
		r.Targets = append(r.Targets, Target{res, policy.Checklist(res)})
	}
	return r
}

func span(start, end int) dockerfile.Span {
	return dockerfile.Span{Path: "Dockerfile", Start: start, End: end}
}

// builtImage is an image with five layers and history, none of it read from anything.
func builtImage() *image.Image {
	img := &image.Image{Config: image.Config{OS: "linux", Architecture: "arm64", Variant: "v8"}}
	for i, createdBy := range []string{
		"/bin/sh -c #(nop) ADD file:0123 in / ",
		"RUN |1 TOKEN=not-to-be-quoted /bin/sh -c make # buildkit",
		"COPY . /app # buildkit",
		"RUN /bin/sh -c rm /app/key # buildkit",
	} {
		l := &image.Layer{Index: i, DiffID: fmt.Sprintf("sha256:%064d", i+1), Step: i}
		img.Layers = append(img.Layers, l)
		img.Steps = append(img.Steps, image.Step{CreatedBy: createdBy, Layer: l})
	}
	return img
}

func file(img *image.Image, layer int, path string, how image.How, by int) scan.Location {
	f := &image.File{Entry: image.Entry{Path: path, Size: int64(1000 * (layer + 1))}, Layer: img.Layers[layer], Fate: image.Fate{How: how}}
	if how != image.Live {
		f.Fate.By = img.Layers[by]
	}
	img.Layers[layer].Files = append(img.Layers[layer].Files, f)
	return scan.Location{Layer: img.Layers[layer], Step: layer + 1, File: f, Path: path}
}

// imageResult is an image whose Dockerfile is known: aggregated, buried, traced.
func imageResult() *scan.Result {
	img := builtImage()
	res := &scan.Result{Rules: catalogue(), Target: scan.Target{
		Name: "localhost:5000/acme/agent:1.4@sha256:" + strings.Repeat("0f", 32), Kind: "registry",
		Digest: "sha256:" + strings.Repeat("0f", 32), Image: img,
	}}
	img.Problems = []image.Problem{{Kind: image.Remark, Layer: 1, Entry: "/var/big", What: "only its first 8 MiB were read for secrets", Hint: "raise the limit"}}
	sources := &scan.Finding{Rule: pythonSource, Level: scan.LevelWarning, Message: "12 first-party Python sources: /app/m00.py, /app/m01.py, /app/m02.py and 9 more"}
	for i := range 12 {
		at := file(img, 2, fmt.Sprintf("/app/m%02d.py", i), image.Live, 0)
		at.Source = span(10, 10)
		sources.Places = append(sources.Places, at)
	}
	sources.At = sources.Places[0]
	caps := &scan.Finding{Rule: fileCaps, Level: scan.LevelWarning, Message: "/usr/bin/tool has cap_setuid: whoever runs it becomes root", At: file(img, 1, "/usr/bin/tool", image.Live, 0)}
	caps.At.Line = 7
	entry := file(img, 2, "/app/entry.pyc", image.Live, 0)
	entry.Source, entry.Line = span(10, 10), 14
	caps.Via(scan.Location{Field: "Entrypoint", Source: span(12, 12)}, "starts as root: python /app/entry.pyc").RunsAs("root").
		Via(entry, "os.setuid(1000)").RunsAs("uid 1000").
		Via(scan.Location{Path: "/app/agent.pyc", Line: 3}, "calls agent.serve as user 1000").RunsAs("uid 1000")
	key := &scan.Finding{Rule: buriedSecret, Level: scan.LevelError, Message: "a private key (1675 bytes) is in a lower layer: whoever can pull the image can read it", At: file(img, 2, "/app/key", image.Deleted, 3)}
	key.At.Source = span(10, 10)
	key.Notef(scan.Location{Source: span(11, 11), Layer: img.Layers[3], Step: 4}, "removed here, too late").
		Notef(scan.Location{}, "anyone with the image can extract it")
	res.Findings = []*scan.Finding{
		sources,
		{Rule: rootUser, Level: scan.LevelError, Message: "no USER: the container starts as root by default", At: scan.Location{Source: span(1, 1), Field: "User"}},
		caps,
		{Rule: secretInEnv, Level: scan.LevelError, Message: "API_KEY holds a provider's token (40 bytes)", At: scan.Location{Source: span(2, 2), Field: "Env.API_KEY"}},
		key,
		{Rule: exposedPort, Level: scan.LevelNote, Message: "port 22/tcp is exposed", At: scan.Location{Field: "ExposedPorts.22/tcp"}},
	}
	res.Claims = []scan.Claim{
		{Rule: fileCaps, Shown: true, Text: "no other file has a capability that matters", Flow: caps.Flow},
		{Rule: exposedPort, Shown: true, At: scan.Location{Source: span(12, 12)}, Text: "1 port is exposed, and it is not one for logins, control or debugging"},
	}
	return res
}

// dockerfileResult is a Dockerfile judged alone.
func dockerfileResult() *scan.Result {
	img := &image.Image{Predicted: true, UnreadBase: "python:3.13-slim"}
	img.Layers = []*image.Layer{{Index: 0, Step: -1}, {Index: 1, Step: -1}}
	at := scan.Location{Source: span(10, 10), Path: "/app/main.py", Layer: img.Layers[0],
		File: &image.File{Layer: img.Layers[0], Fate: image.Fate{How: image.Perhaps, By: img.Layers[1]}}}
	return &scan.Result{Rules: catalogue(),
		Target: scan.Target{Name: "Dockerfile", Kind: "dockerfile", Image: img,
			Build: &dockerfile.Build{File: &dockerfile.File{Problems: []dockerfile.Problem{{Span: span(1, 1), What: "the escape directive has no effect here"}}}}},
		Findings: []*scan.Finding{
			{Rule: pythonSource, Level: scan.LevelWarning, Message: "/app/main.py is first-party Python source", At: at},
			{Rule: rootUser, Level: scan.LevelNote, Message: "whether this runs as root is for the base image to decide", At: scan.Location{Source: span(3, 9)}},
		},
		Claims: []scan.Claim{{Rule: rootUser, Text: "the base image python:3.13-slim decides the user: give it with --base-image"}},
	}
}

// cleanResult has every rule of the checklist show its part.
func cleanResult() *scan.Result {
	res := &scan.Result{Rules: catalogue(), Target: scan.Target{Name: "agent.tar", Kind: "docker-archive", Image: builtImage()}}
	for _, r := range []*scan.Rule{pythonSource, rootUser, secretInEnv, exposedPort} {
		res.Claims = append(res.Claims, scan.Claim{Rule: r, Shown: true, Text: "what " + r.Name + " looks for is not there"})
	}
	return res
}

// incompleteResult could not read a layer, and a rule broke.
func incompleteResult() *scan.Result {
	img := builtImage()
	img.Problems = []image.Problem{{Kind: image.NotAudited, Layer: 1, Entry: "/var/big", What: "unexpected EOF", Hint: "get the image again"}}
	return &scan.Result{Rules: catalogue(),
		Target: scan.Target{Name: "cut.tar", Kind: "oci-archive", Image: img},
		Findings: []*scan.Finding{
			{Rule: notAudited, Level: scan.LevelError, Message: "not audited: layer 2: unexpected EOF", At: scan.Location{Layer: img.Layers[1], Step: 2, Path: "/var/big"}},
		},
		Broken:   []scan.Broken{{Rule: rootUser, Err: errors.New("panic: index out of range")}},
		Unlisted: []scan.Unlisted{{Rule: pythonSource, N: 17}},
	}
}

func incompleteReport() *Report {
	r := newReport(incompleteResult(), cleanResult())
	r.Failed = []FailedTarget{{Name: "gone.tar", Message: "opening gone.tar: no such file or directory", Hint: "did you mean cut.tar?"}}
	return r
}

// hostile are strings that an image, a registry or a Dockerfile may hold.
var hostile = []string{
	"::error::x", "  ::stop-commands::x", "a\n::warning::y", "a\r\n##[error]z", "##vso[task.complete]", "##VSO[x]", "\x1b[2J\x1b]0;t\a",
	"\x00\x7f\u0080\u009b", "\xff\xfe", "\u202egpj.exe", "a\u200bb\u2028c\u2029d\ufeff\u00ad", "[click](https://example.org)", "a:b/../%2e%2e/ c?d#e",
	strings.Repeat("long/", 400), "word " + strings.Repeat("x ", 300) + ":: here", `</script>"'&|` + "`", "\u3164\ufe0f",
}

// hostileReport has one of the hostile strings in every place where a foreign one
// can stand.
func hostileReport(s string) *Report {
	img := builtImage()
	img.Config = image.Config{OS: s, Architecture: s, Variant: s}
	for i := range img.Layers {
		img.Layers[i].DiffID, img.Steps[i].CreatedBy = s, s
	}
	bad := dockerfile.Problem{Span: dockerfile.Span{Path: s, Start: 1, End: 1}, What: s, Hint: s}
	img.Problems = []image.Problem{{Kind: image.NotAudited, Layer: 0, Entry: s, What: s, Hint: s}, {Kind: image.Remark, Layer: -1, Entry: s, What: s, Hint: s}}
	inFile := file(img, 1, s, image.Replaced, 2)
	onLine := inFile
	onLine.Source = dockerfile.Span{Path: s, Start: 1, End: 3}
	field := scan.Location{Field: s}
	res := &scan.Result{Rules: catalogue(),
		Target: scan.Target{Name: s, Kind: s, Digest: s, Image: img, Build: &dockerfile.Build{File: &dockerfile.File{Problems: []dockerfile.Problem{bad}}}},
		Broken: []scan.Broken{{Rule: rootUser, Err: errors.New(s)}},
	}
	for _, at := range []scan.Location{inFile, onLine, field, {}} {
		f := &scan.Finding{Rule: pythonSource, Level: scan.LevelWarning, Message: s, At: at, Places: []scan.Location{at, inFile, onLine, field}}
		res.Findings = append(res.Findings, f.Notef(at, "%s", s).Notef(onLine, "%s", s).Via(at, "%s", s).RunsAs(s))
		res.Claims = append(res.Claims, scan.Claim{Rule: rootUser, At: at, Text: s}, scan.Claim{Rule: exposedPort, Shown: true, At: at, Text: s})
	}
	r := newReport(res)
	r.Snippet = func(string, int, int) []string { return []string{s, s} }
	r.RepoPath = nil
	r.Failed = []FailedTarget{{s, s, s}}
	return r
}

// formats are all formats; the text once as a file and once as a terminal gets it.
func formats() map[string]func(t *testing.T, r *Report) string {
	write := func(f func(b *strings.Builder, r *Report) error) func(*testing.T, *Report) string {
		return func(t *testing.T, r *Report) string {
			t.Helper()
			var b strings.Builder
			if err := f(&b, r); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	return map[string]func(t *testing.T, r *Report) string{
		"txt":         write(func(b *strings.Builder, r *Report) error { return Text(b, r, TextOptions{}) }),
		"tty":         write(func(b *strings.Builder, r *Report) error { return Text(b, r, TextOptions{Width: 60, Color: true}) }),
		"json":        write(func(b *strings.Builder, r *Report) error { return JSON(b, r) }),
		"sarif":       write(func(b *strings.Builder, r *Report) error { return SARIF(b, r) }),
		"github":      write(func(b *strings.Builder, r *Report) error { return GitHub(b, r) }),
		"junit.xml":   write(func(b *strings.Builder, r *Report) error { return JUnit(b, r) }),
		"gitlab.json": write(func(b *strings.Builder, r *Report) error { return GitLab(b, r) }),
		"md":          write(func(b *strings.Builder, r *Report) error { return Markdown(b, r) }),
		"html":        write(func(b *strings.Builder, r *Report) error { return HTML(b, r) }),
	}
}

func reports() map[string]*Report {
	return map[string]*Report{
		"image":      newReport(imageResult()),
		"dockerfile": newReport(dockerfileResult()),
		"clean":      newReport(cleanResult()),
		"incomplete": incompleteReport(),
		"hostile":    hostileReport("\u202e\x1b[1m::a b/\xff:c"),
		"ignored":    shownReport(),
		"compose":    manifestReport(),
		"kubernetes": kubernetesReport(),
		"joined":     joinedReport(),
	}
}

var (
	styles     = regexp.MustCompile(`\x1b\[[0-9]+m`)
	ownCommand = regexp.MustCompile(`(?m)^::(error|warning|notice) [^:\n]*::`)
	anyCommand = regexp.MustCompile(`(?im)^\s*::|##\[|##vso\[`)
)

// unfit says what no output may hold, whatever stands in the image; empty if it
// holds nothing of the kind. A format's own styles and commands are no one else's.
func unfit(ext, out string) string {
	switch ext {
	case "tty":
		out = styles.ReplaceAllString(out, "")
	case "github":
		out = ownCommand.ReplaceAllString(out, "")
	case "json", "sarif", "gitlab.json":
		if !json.Valid([]byte(out)) {
			return "no JSON"
		}
	}
	if !utf8.ValidString(out) {
		return "no valid UTF-8"
	}
	for i, r := range out {
		if r != '\n' && (!unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
			return fmt.Sprintf("prints %U: %q", r, out[max(0, i-20):min(len(out), i+20)])
		}
	}
	if m := anyCommand.FindString(out); m != "" {
		return fmt.Sprintf("opens a command: %q", m)
	}
	return ""
}

// shown is an output as its golden file keeps it: without the style and script of
// a page, which are in files of their own.
func shown(out string) string {
	return strings.NewReplacer(htmlStyle, "(page.css)", htmlScript, "(page.js)", html.EscapeString(contentPolicy()), "(policy)").Replace(out)
}

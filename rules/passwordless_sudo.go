package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX205", Name: "passwordless-sudo", Step: scan.Privilege, Level: scan.LevelError, Severity: 8.0, CWE: []int{250, 269},
	Title:  "the runtime user can become root without a password",
	Kernel: true,
	Where:  scan.InImage | scan.InDockerfile,
	Needs:  []scan.Need{accounts.Fact, accounts.Policies, launch.Runtime, access.Fact},
	Run: func(p *scan.Pass) {
		r := launch.Runtime.Of(p)
		if !r.Known {
			p.Unknownf(r.At, "%s", r.Why)
			for _, u := range accounts.Fact.Of(p).People() {
				ways, _ := waysToRoot(p, u)
				for _, way := range ways {
					way.report(p, u, ", if untrusted code runs as that user").As(scan.LevelNote)
				}
			}
			return
		}
		ways, tools := waysToRoot(p, r.User)
		for _, way := range ways {
			if f := way.report(p, r.User, ""); r.Assumed {
				f.Notef(r.At, "%s", r.Why)
			}
		}
		subordinates(p, r.User)
		policiesShown(p, r, tools)
	},
})

// A wayToRoot is what one file or instruction grants: commands that make their
// caller root, or commands of which that is not shown.
type wayToRoot struct {
	root   bool
	grants []accounts.Grant
	why    []string // why each makes its caller root
}

// waysToRoot returns the grants that are certain, by where they stand; what is not
// certain is said to be unknown. tools are those that grant anything, or may.
func waysToRoot(p *scan.Pass, u accounts.User) (out []*wayToRoot, tools []string) {
	check := access.Fact.Of(p).For(u)
	judge := &accounts.Judge{Image: p.Image, Change: func(path string) (accounts.Answer, string) {
		w := check.Change(path)
		return w.Answer, w.Path + ", " + w.Fact
	}}
	for _, policy := range accounts.Policies.Of(p) {
		for _, g := range policy.Grants(u) {
			tools = append(tools, policy.Tool)
			if g.Unsure != "" {
				p.Unknownf(g.Source.At(p), "%s may be able to run %s as root with %s and without a password: %s", u, g.Command, g.Tool, g.Unsure)
				continue
			}
			why := judge.Root(g)
			i := slices.IndexFunc(out, func(w *wayToRoot) bool {
				s := w.grants[0].Source
				return w.root == (why != "") && s.File == g.Source.File && s.Instr == g.Source.Instr
			})
			if i < 0 {
				i, out = len(out), append(out, &wayToRoot{root: why != ""})
			}
			out[i].grants, out[i].why = append(out[i].grants, g), append(out[i].why, why)
		}
	}
	return out, tools
}

// report says what a way lets the user do; provided is added to that.
func (w *wayToRoot) report(p *scan.Pass, u accounts.User, provided string) *scan.Finding {
	g := w.grants[len(w.grants)-1] // the first one in its file
	var commands []string
	for _, g := range slices.Backward(w.grants) {
		if name := g.Command.String(); g.Command.Path == "ALL" {
			commands = []string{name}
			break
		} else if !slices.Contains(commands, name) {
			commands = append(commands, name)
		}
	}
	what := fmt.Sprintf("%s may run %s as root with %s and without a password", u, few(commands), g.Tool)
	if !w.root {
		f := p.Reportf(g.Source.At(p), "%s%s; that this makes it root is not shown, and depends on what the program does with its arguments and input", what, provided)
		return f.As(scan.LevelNote)
	}
	at := g.Source.At(p)
	f := p.Reportf(at, "%s%s: it is root whenever it wants", what, provided).Mend(ungrant(p, at))
	const shown = 8
	for i, g := range slices.Backward(w.grants) {
		if g.Command.Path != "ALL" && len(f.Notes) < shown {
			f.Notef(g.Source.At(p), "%s: %s", g.Command, w.why[i])
		}
	}
	if s := g.Source.File; s != nil && s.Fate.How == image.Perhaps {
		f.Notef(p.AtLayer(s.Fate.By), "unless a command here, which could not be understood, changes %s", s.Path)
	}
	return f
}

// ungrant takes out what writes a grant.
func ungrant(p *scan.Pass, at scan.Location) *scan.Fix {
	if p.Build == nil {
		return nil
	}
	return fix.Ungrant(p.Build, p.Build.File.Find(at.Source))
}

// few joins names for a message, of many the first ones.
func few(names []string) string {
	const shown = 4
	if over := len(names) - shown; over > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), over)
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}

// policiesShown says what was shown of sudo and doas, and what could not be. tools are
// those that grant something.
func policiesShown(p *scan.Pass, r launch.RuntimeFact, tools []string) {
	for _, policy := range accounts.Policies.Of(p) {
		for _, i := range policy.Ignored {
			if policy.Void == "" {
				p.Shownf(i.Source.At(p), "%s does not honour this: %s", policy.Tool, i.Why)
			}
		}
		switch {
		case policy.Void != "":
			p.Shownf(scan.Location{}, "%s lets nobody become root: %s", policy.Tool, policy.Void)
		case policy.Unknown != "":
			p.Unknownf(scan.Location{}, "what %s allows is not all known: %s", policy.Tool, policy.Unknown)
		case !slices.Contains(tools, policy.Tool):
			p.Shownf(r.At, "%s lets %s run nothing as root without a password", policy.Tool, r.User)
		}
	}
}

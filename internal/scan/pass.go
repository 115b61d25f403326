package scan

import (
	"fmt"
	"sync"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// A Pass is one rule looking at one target. Everything it exposes is immutable.
type Pass struct {
	Rule *Rule
	// Image is the target's image, real or predicted. Never nil.
	Image *image.Image
	// Build is the target's evaluated Dockerfile, nil if none is known.
	Build *dockerfile.Build
	// Ignore is the end of the ignore file of the build context; zero without one.
	Ignore dockerfile.IgnoreEnd
	// Manifest and Workload say how the target is run; nil if that is not known.
	Manifest *manifest.Manifest
	Workload *manifest.Workload
	// Containers are those of Workload that are judged.
	Containers []*manifest.Container
	NoImage    bool // nothing is known of the image
	Options    Options
	// Ignores are what the user wrote to accept findings, for rules that come last.
	Ignores []*Ignore

	facts    *facts
	trace    *trace
	set      map[string]manifest.Place
	findings []*Finding
	claims   []*Claim
}

// Options are what a user can tell the rules.
type Options struct {
	SessionVars []string // variables that only the control plane may set; nil for the article's three
	SandboxUser string   // user that runs untrusted code; empty for "sandbox"
	FirstParty  []string // directories of the image below which all Python is the user's own
	Forbid      []string // programs that no image may have, by the names of their files

	// Isolation is the tier that the user says all sandboxes have at least.
	Isolation manifest.Tier
	Levels    map[string]Level // of rules by id, where the user wants another one
	Disabled  []Disabled       // rules that were left out
	// Ignore says why a finding is accepted or old, nil if it is neither. It is asked
	// about each place for itself. Nil accepts nothing.
	Ignore func(*Pass, *Finding) *Ignore
	// Identify names a secret under the user's key, by the hash of its value. Nil
	// without a key: then no secret has a name.
	Identify func(hash []byte) string
}

// Session returns the variables that only the control plane may set, and that
// must be gone before untrusted code runs.
func (o Options) Session() []string {
	if o.SessionVars != nil {
		return o.SessionVars
	}
	return []string{"SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"}
}

// Reportf records a finding at the rule's default level.
func (p *Pass) Reportf(at Location, format string, args ...any) *Finding {
	f := &Finding{Rule: p.Rule, Level: p.Rule.Level, At: at, Message: fmt.Sprintf(format, args...)}
	p.findings = append(p.findings, f)
	return f
}

// Shownf records that the rule's concern was shown to be good, by which fact.
func (p *Pass) Shownf(at Location, format string, args ...any) *Claim {
	return p.claim(Claim{Rule: p.Rule, Shown: true, At: at, Text: fmt.Sprintf(format, args...)})
}

// Unknownf records that the rule can't decide, and what is missing.
func (p *Pass) Unknownf(at Location, format string, args ...any) *Claim {
	return p.claim(Claim{Rule: p.Rule, At: at, Text: fmt.Sprintf(format, args...)})
}

func (p *Pass) claim(c Claim) *Claim {
	p.claims = append(p.claims, &c)
	return &c
}

// Derived is a fact about the whole target, computed once from probes and other
// derived facts and shared by the rules that need it.
type Derived[T any] struct {
	Name    string
	Needs   []Need
	Compute func(*Pass) T
}

// ID is the name of the fact.
func (d *Derived[T]) ID() string { return d.Name }

// Of returns the fact for the target of p.
func (d *Derived[T]) Of(p *Pass) T {
	return p.facts.get(d, func() any { return d.Compute(p) }).(T)
}

func (d *Derived[T]) needs() []Need { return d.Needs }

type derived interface{ needs() []Need }

// facts memoizes derived facts of one target.
type facts struct {
	mu   sync.Mutex
	once map[derived]func() any
}

func (f *facts) get(d derived, compute func() any) any {
	f.mu.Lock()
	if f.once == nil {
		f.once = map[derived]func() any{}
	}
	get := f.once[d]
	if get == nil {
		get = sync.OnceValue(compute)
		f.once[d] = get
	}
	f.mu.Unlock()
	return get()
}

// Probes returns the probes that rules need, directly or through derived facts,
// each once, in order of first mention.
func Probes(rules []*Rule) []image.Reader {
	var all []image.Reader
	seen := map[Need]bool{}
	var visit func([]Need)
	visit = func(needs []Need) {
		for _, n := range needs {
			if seen[n] {
				continue
			}
			seen[n] = true
			switch n := n.(type) {
			case image.Reader:
				all = append(all, n)
			case derived:
				visit(n.needs())
			}
		}
	}
	for _, r := range rules {
		visit(r.Needs)
	}
	return all
}

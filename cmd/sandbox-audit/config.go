package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/internal/settings"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// configBytes is more than any configuration needs.
const configBytes = 1 << 20

// words are the names of others that a configuration may use.
func words() settings.Words {
	w := settings.Words{}
	for _, r := range rules.All() {
		w.Rules = append(w.Rules, r.ID, r.Name)
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	var o options
	limitFlags(f, &o.limits)
	f.VisitAll(func(flag *pflag.Flag) { w.Limits = append(w.Limits, flag.Name) })
	slices.Sort(w.Limits)
	return w
}

// configure gives the flags that the command line left out what the environment says,
// or else the configuration, and returns the latter; nil if there is none. Flag goes
// before environment, environment before file, and file before default.
func (o *options) configure(f *pflag.FlagSet, proc process, targets []string) (*settings.File, error) {
	if err := fromEnvironment(f, proc.getenv); err != nil {
		return nil, err
	}
	if err := o.checkEnvironment(proc); err != nil {
		return nil, err
	}
	path, err := o.configPath(proc, targets)
	if err != nil {
		return nil, err
	}
	o.config = path
	if o.verbose {
		fmt.Fprintf(proc.stderr, "sandbox-audit: configuration: %s\n", printable(cmp.Or(path, "none")))
	}
	if path == "" {
		return nil, nil
	}
	file, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Defaults() {
		if err := set(f, d.Flag, d.Values); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", path, d.Line, d.Flag, err)
		}
	}
	return file, nil
}

// configPath finds the configuration: the one of --config, or the first that is found
// upwards from a target, from the Dockerfile of --dockerfile or from here.
func (o *options) configPath(proc process, targets []string) (string, error) {
	switch {
	case o.noConfig && o.config != "":
		return "", errors.New("--config and --no-config contradict each other")
	case o.noConfig:
		return "", nil
	case o.config != "":
		return o.config, nil
	}
	s := settings.Search{Root: isRepository}
	var found string
	var images []string // folders that hold the files of an image, which has no say
	for _, target := range append(slices.Clone(targets), o.dockerfile) {
		info, err := os.Stat(target)
		if err != nil {
			continue
		}
		dir := target
		if !info.IsDir() {
			dir = filepath.Dir(target)
		} else if o.from != "" || isImageDir(target) {
			images = append(images, followed(target))
			dir = filepath.Dir(followed(target))
		}
		path, err := s.Find(dir)
		if err != nil {
			return "", err
		}
		if found != "" && path != "" && path != found {
			return "", &hinted{fmt.Errorf("the targets have different configurations, %s and %s", here(found), here(path)), "name one with --config, or audit them one by one"}
		}
		found = cmp.Or(found, path)
	}
	if found == "" {
		dir, err := filepath.Abs(".")
		if i := slices.IndexFunc(images, func(image string) bool { return holds(image, followed(dir)) }); i >= 0 {
			dir = filepath.Dir(images[i])
		}
		if err == nil {
			found, err = s.Find(dir)
		}
		if err != nil {
			return "", err
		}
	}
	slices.Sort(s.Shared)
	for _, file := range slices.Compact(s.Shared) {
		complain(proc.stderr, &hinted{fmt.Errorf("%s was not used: everyone may put files into its folder", here(file)), "name it with --config"})
	}
	return here(found), nil
}

// isRepository reports whether a folder is the root of a repository.
func isRepository(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// here is a path as one would type it.
func here(path string) string {
	wd, err := os.Getwd()
	if err != nil || path == "" {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

func readConfig(path string) (*settings.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, orNear(fmt.Errorf("reading the configuration %s: %w", path, cause(err)), nearFile(path))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, configBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the configuration %s: %w", path, cause(err))
	case len(text) > configBytes:
		return nil, fmt.Errorf("reading the configuration %s: it is over %d bytes", path, configBytes)
	}
	return settings.Read(path, text, words())
}

// judgement is what the user wants of the rules.
type judgement struct {
	rules    []*scan.Rule // that are not turned off
	levels   map[string]scan.Level
	disabled []scan.Disabled
	ignores  *policy.Ignores // nil while a baseline is audited
	recorded *policy.Baseline
	identify func([]byte) string // nil without a key

	sandboxes []string // names that workloads of the project's manifests have
}

// newJudgement takes over what the configuration, which may be nil, says of rules.
func (o *options) newJudgement(file *settings.File, proc process) (judgement, error) {
	j := judgement{rules: rules.All(), levels: map[string]scan.Level{}}
	var err error
	if j.identify, err = identifier(proc.getenv(keyVariable)); err != nil {
		return j, err
	}
	if _, known := tiers[o.isolation]; o.isolation != "" && !known {
		return j, didYouMean(fmt.Errorf("--isolation %s is no tier", o.isolation), o.isolation, slices.Sorted(maps.Keys(tiers)))
	}
	if err := o.checkNames(); err != nil {
		return j, err
	}
	j.ignores = &policy.Ignores{Rules: rules.All(), Today: proc.now().UTC()}
	if file == nil {
		return j, nil
	}
	j.adjust(file)
	j.sandboxes = file.Sandboxes
	j.ignores.NeedReason = file.RequireReason
	rel := fromFolder(filepath.Dir(file.Path))
	for n, i := range file.Ignores {
		at := scan.Location{Source: dockerfile.Span{Path: file.Path, Start: i.Line, End: i.Line}, Manifest: true, Field: fmt.Sprintf("ignores[%d]", n)}
		if i.Value != "" && j.identify == nil {
			return j, &hinted{fmt.Errorf("%s:%d: an ignore names the identity of a secret, and there is no key to compare it by", file.Path, i.Line), "set " + keyVariable + " to the key that the identity was made with"}
		}
		scope := policy.Scope{Path: i.Path, Layer: i.Layer, Package: i.Package, Value: i.Value}
		if err := j.ignores.Add(i.Rule, i.Reason, i.Until, at, scope, rel); err != nil {
			return j, fmt.Errorf("%s:%d: %w", file.Path, i.Line, err)
		}
	}
	return j, nil
}

// adjust turns rules off and gives others their levels.
func (j *judgement) adjust(file *settings.File) {
	levels := map[string]scan.Level{"error": scan.LevelError, "warning": scan.LevelWarning, "note": scan.LevelNote}
	said := map[*scan.Rule]settings.Rule{}
	for name, r := range file.Rules {
		said[rules.Find(name)] = r
	}
	j.rules = slices.DeleteFunc(j.rules, func(r *scan.Rule) bool {
		s := said[r]
		if s.Level != "" {
			j.levels[r.ID] = levels[s.Level]
		}
		if s.Disabled != "" {
			j.disabled = append(j.disabled, scan.Disabled{Rule: r, Reason: s.Disabled})
		}
		return s.Disabled != ""
	})
}

// identifier names secrets under the user's key.
func identifier(key string) (func([]byte) string, error) {
	if key == "" {
		return nil, nil
	}
	k, err := secret.ConfiguredKey([]byte(key))
	if err != nil {
		return nil, &hinted{fmt.Errorf("%s: %w", keyVariable, err), "make one with: openssl rand -hex 32"}
	}
	return func(hash []byte) string { return k.ID(string(hash)).String() }, nil
}

// fromFolder gives paths relative to a folder.
func fromFolder(dir string) func(string) string {
	return func(path string) string {
		abs, err := filepath.Abs(path)
		if err != nil {
			return path
		}
		if base, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(base, abs); err == nil {
				return rel
			}
		}
		return path
	}
}

// ruleOptions are what rules are told about a target.
func (a *audit) ruleOptions(t scan.Target) scan.Options {
	opt := scan.Options{
		SessionVars: a.sessionVars, SandboxUser: a.sandboxUser, FirstParty: a.firstParty, Forbid: a.forbid, Isolation: tiers[a.isolation],
		Levels: a.levels, Disabled: a.disabled, Identify: a.identify,
	}
	var asked []func(*scan.Pass, *scan.Finding) *scan.Ignore
	if a.ignores != nil {
		ask := a.ignores.For(t)
		if a.noIgnores {
			ask = onlyNoted(ask)
		}
		asked = append(asked, ask)
	}
	if a.recorded != nil {
		asked = append(asked, a.recorded.For(t, repoPath))
	}
	if len(asked) == 0 {
		return opt
	}
	opt.Ignore = func(p *scan.Pass, f *scan.Finding) *scan.Ignore {
		for _, ask := range asked {
			if i := ask(p, f); i != nil {
				return i
			}
		}
		return nil
	}
	return opt
}

// onlyNoted accepts nothing, and notes what would have been accepted.
func onlyNoted(ask func(*scan.Pass, *scan.Finding) *scan.Ignore) func(*scan.Pass, *scan.Finding) *scan.Ignore {
	return func(p *scan.Pass, f *scan.Finding) *scan.Ignore {
		if i := ask(p, f); i != nil {
			f.Notef(i.At, "without --no-ignores this is %s", policy.Acceptance(i))
		}
		return nil
	}
}

// review says what is wrong with the ignores, when all targets are audited. What a
// baseline has of that is old.
func (a *audit) review() {
	if a.ignores == nil {
		return
	}
	opt := scan.Options{Levels: a.levels}
	if a.recorded != nil {
		old := map[*image.Image]func(*scan.Pass, *scan.Finding) *scan.Ignore{}
		for _, r := range a.results {
			old[r.Target.Image] = a.recorded.For(r.Target, repoPath)
		}
		opt.Ignore = func(p *scan.Pass, f *scan.Finding) *scan.Ignore { return old[p.Image](p, f) }
	}
	a.ignores.Review(a.results, opt)
}

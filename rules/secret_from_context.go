package rules

import (
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/leak"
)

var _ = register(&scan.Rule{
	ID: "SBX312", Name: "secret-from-context", Step: scan.Environment, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{538, 200},
	Title: "a COPY of a whole directory brings files that are made for credentials",
	Many:  "%d files made for credentials come from the build context with a whole directory",
	Where: scan.InDockerfile,
	Needs: []scan.Need{leak.Fact},
	Run: func(p *scan.Pass) {
		if !p.Image.Predicted {
			return // what a context held can't be seen in an image
		}
		c := broughtAlong{p, leak.Fact.Of(p), map[string]bool{}}
		for _, l := range p.Image.Layers {
			if l.Step < p.Image.BaseSteps || !fromContext(p.Build.Steps[l.Step-p.Image.BaseSteps]) {
				continue
			}
			for _, f := range l.Files {
				c.file(f, p.Build.Steps[l.Step-p.Image.BaseSteps])
			}
		}
		if len(c.seen) == 0 && len(p.Image.Unseen) == 0 {
			p.Shownf(scan.Location{}, "no COPY of a whole directory brings files made for credentials")
		}
	},
})

// fromContext reports whether a step copies from the build context.
func fromContext(s *dockerfile.Step) bool {
	if s.Instr.Cmd != "COPY" && s.Instr.Cmd != "ADD" {
		return false
	}
	for _, f := range s.Instr.Flags {
		if strings.HasPrefix(f, "--from") {
			return false
		}
	}
	return true
}

// broughtAlong looks for what nobody named, yet a COPY brings.
type broughtAlong struct {
	*scan.Pass
	leaks *leak.Leaks
	seen  map[string]bool
}

func (b broughtAlong) file(f *image.File, s *dockerfile.Step) {
	p, what := f.Path, ""
	if i := strings.Index(f.Path, "/.git/"); i >= 0 {
		p, what = f.Path[:i]+"/.git", "a repository holds every version of every file that was ever committed, and its remotes"
	} else if f.Mode.IsRegular() {
		what = b.purpose(f)
	}
	if what == "" || b.seen[p] || named(s, p) {
		return
	}
	b.seen[p] = true
	at := b.At(f)
	at.Path = p
	found := b.Reportf(at, "%s brings %s along with a whole directory: %s; keep it out with .dockerignore", s.Instr.Cmd, p, what)
	if len(s.Instr.Heredocs) == 0 { // else it may not come from the context
		found.Mend(fix.Ignored(b.Ignore, path.Base(p), path.Base(p) == ".git"))
	}
}

// named reports whether a source of the step is the path itself, as one who means it
// writes, or whether the step says what the file is to be called.
func named(s *dockerfile.Step, p string) bool {
	if n := len(s.Args); n > 1 && !strings.HasSuffix(s.Args[n-1], "/") {
		to := s.Args[n-1]
		if !path.IsAbs(to) {
			to = path.Join("/", s.Dir, to)
		}
		if path.Clean(to) == p {
			return true
		}
	}
	for _, word := range s.Args[:max(0, len(s.Args)-1)] {
		if path.Base(word) == path.Base(p) {
			return true
		}
	}
	return false
}

// contextFiles are the files of a developer's machine that are made for credentials.
// Those in whose text a credential shows count only if one does.
var contextFiles = []struct {
	name   *regexp.Regexp
	holds  string
	byText bool
}{
	{regexp.MustCompile(`/\.env(\.[\w-]+)*$|\.env$|/\.envrc$`), "an environment file with a secret in it", true},
	{regexp.MustCompile(`/\.npmrc$|/\.yarnrc(\.yml)?$|/\.pypirc$|/pip\.conf$|/\.netrc$|/\.docker/config\.json$|\.tfvars$|/settings\.xml$`), "a tool's configuration with a credential in it", true},
	{regexp.MustCompile(`\.(pem|key)$|\.json$`), "it holds a key", true},
	{regexp.MustCompile(`/id_(rsa|dsa|ecdsa|ed25519)(_sk)?$`), "a private key of SSH", false},
	{regexp.MustCompile(`\.(p12|pfx|jks|keystore|kdbx|ppk)$`), "a store of keys", false},
	{regexp.MustCompile(`/\.git-credentials$|/\.aws/credentials$|/\.kube/config$|/\.pgpass$|/\.gnupg/(private-keys-v1\.d/.*|secring\.gpg)$`), "a file of credentials", false},
	{regexp.MustCompile(`\.tfstate(\.backup)?$`), "the state of an infrastructure, with its secrets in clear text", false},
	{regexp.MustCompile(`/\.(bash|zsh|sh|python|psql|mysql)_history$`), "a history of commands", false},
}

func (b broughtAlong) purpose(f *image.File) string {
	for _, k := range contextFiles {
		if k.name.MatchString(f.Path) {
			if k.byText && !b.leaks.Holds(f) {
				return ""
			}
			return k.holds
		}
	}
	return ""
}

package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
)

var _ = register(&scan.Rule{
	ID: "SBX602", Name: "fetch-unverified", Step: scan.Supply, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{494},
	Title: "what is fetched is used without a check that it is what was meant",
	Many:  "%d things are fetched and used without a check",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{commands.Fact, network.Settings},
	Run: func(p *scan.Pass) {
		scripts := commands.Fact.Of(p)
		for _, f := range commands.Fetched(scripts) {
			p.Reportf(f.At, "%s", fetched(f))
		}
		for _, s := range scripts {
			checks := s.Checks()
			for _, c := range s.Commands() {
				if option := c.Unsigned(); option != "" && (!checks || option != "--allow-untrusted") {
					p.Reportf(s.At, "%s %s installs packages that nobody signed: whoever is on the way, or has the mirror, decides what they are", c.Name(), option)
				}
			}
		}
		settings(p, network.Unsigned, func(at scan.Location, file string, s network.Setting) {
			p.Reportf(at, "%s in %s: packages are installed whose signatures are not checked", s.Name, file)
		})
		if p.Build != nil {
			addedURLs(p)
		}
	},
})

func fetched(f commands.Fetch) string {
	if f.File {
		return f.Runs + ", which " + f.By + " fetches, is run without a checksum or a signature: whoever has the server decides what the build does"
	}
	return "what " + f.By + " fetches goes straight to " + f.Runs + ": whoever has the server decides what the build does, a connection that breaks leaves half of it done, and nothing on record tells what it was"
}

// addedURLs reports ADDs of a URL without a checksum. A history does not keep the
// flag, so only a Dockerfile can show it.
func addedURLs(p *scan.Pass) {
	seen := map[*dockerfile.Instr]bool{}
	for _, b := range append([]*dockerfile.Build{p.Build}, p.Build.Sources()...) {
		for _, s := range b.Steps {
			if s.Instr.Cmd != "ADD" || seen[s.Instr] || len(s.Args) < 2 || checksummed(s.Instr) {
				continue
			}
			seen[s.Instr] = true
			for _, source := range s.Args[:len(s.Args)-1] {
				if what := remoteSource(source); what != "" {
					p.Reportf(p.AtInstr(s.Instr), "ADD of %s without --checksum: the build takes whatever is there when it runs", what)
				}
			}
		}
	}
}

func checksummed(in *dockerfile.Instr) bool {
	return slices.ContainsFunc(in.Flags, func(f string) bool { return strings.HasPrefix(f, "--checksum=") && len(f) > len("--checksum=") })
}

var (
	gitSource = regexp.MustCompile(`^(git@|git://|ssh://|https?://[^?#]+\.git(#|$))`)
	commit    = regexp.MustCompile(`#[0-9a-f]{40}(:|$)`)
)

// remoteSource is what an ADD fetches, in words that show no login; empty if it is
// a file of the context, or a commit that its name pins.
func remoteSource(source string) string {
	switch {
	case gitSource.MatchString(source):
		if commit.MatchString(source) {
			return ""
		}
		return "a repository's branch or tag"
	case !strings.HasPrefix(source, "http://") && !strings.HasPrefix(source, "https://"):
		return ""
	case network.Host(source) == "":
		return "a URL"
	}
	return "a URL at " + network.Host(source)
}

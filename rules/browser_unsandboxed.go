package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX407", Name: "browser-unsandboxed", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{693},
	Title: "a browser runs without a part of its own sandbox",
	Many:  "%d options take parts of a browser's own sandbox away",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{commands.Fact, launch.Fact, packages.Fact, python.Fact, network.BrowserFlags},
	Run: func(p *scan.Pass) {
		type place struct {
			at   scan.Location
			flag string
		}
		told := map[place]bool{} // a script that starts the browser has its options, too
		tell := func(at scan.Location, flag, where string) {
			if told[place{at, flag}] {
				return
			}
			told[place{at, flag}] = true
			p.Reportf(at, "%s gets %s: %s", where, flag, network.BrowserFlagDoes(flag))
		}
		for _, kv := range p.Image.Config.Env {
			name, value, _ := strings.Cut(kv, "=")
			for _, flag := range network.BrowserFlagsIn(value) {
				tell(p.AtField("Env."+name), flag, "by "+name+", a browser")
			}
		}
		origins := network.Origins{Owners: packages.Fact.Of(p), Inventory: python.Fact.Of(p)}
		for _, s := range starts(p) {
			if s.at.File != nil && !origins.Own(s.at.File) {
				continue // it hands on what it was given
			}
			for _, flag := range browserFlags(s.argv) {
				tell(s.at, flag, path.Base(s.argv[0]))
			}
		}
		for _, s := range commands.Fact.Of(p) {
			for _, c := range s.Commands() {
				if !network.OnlySays(c.Name()) {
					for _, flag := range browserFlags(c.Texts()) {
						tell(s.At, flag, c.Name())
					}
				}
			}
		}
		browserFiles(p, origins, tell)
	},
})

// browserFlags are the options of a command line that starts a browser, or that
// hands them to one.
func browserFlags(argv []string) []string {
	var out []string
	if len(argv) == 0 {
		return nil
	}
	for _, arg := range argv[1:] {
		if network.BrowserFlagDoes(arg) != "" && !slices.Contains(out, arg) {
			out = append(out, arg)
		}
	}
	return out
}

// browserFiles tells of the image's own files that hold such options.
func browserFiles(p *scan.Pass, origins network.Origins, tell func(scan.Location, string, string)) {
	for f, list := range network.BrowserFlags.Facts(p.Image) {
		if !origins.Own(f) {
			continue
		}
		for _, flag := range list {
			at := p.At(f)
			at.Line = flag.Line
			tell(at, flag.Flag, "what "+f.Path+" starts")
		}
	}
}

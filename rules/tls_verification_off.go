package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

var _ = register(&scan.Rule{
	ID: "SBX405", Name: "tls-verification-off", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{295},
	Title: "certificates are not verified",
	Many:  "%d times certificates are not verified",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{commands.Fact, launch.Fact, network.Settings},
	Run: func(p *scan.Pass) {
		for _, kv := range p.Image.Config.Env {
			name, value, _ := strings.Cut(kv, "=")
			if why := network.VariableOff(name, value); why != "" {
				p.Reportf(p.AtField("Env."+name), "%s is set for every process: %s, and whoever is on the way can read and change what is exchanged", name, why)
			}
		}
		whileBuilding(p)
		for _, s := range commands.Fact.Of(p) {
			for _, c := range s.Commands() {
				unverified(p, s.At, c, "what is fetched can be anyone's")
			}
		}
		for _, x := range starts(p) {
			unverified(p, x.at, commands.Command{Words: shell.Known(x.argv...)}, "whoever is on the way can read and change what is exchanged")
		}
		settings(p, network.Unverified, func(at scan.Location, file string, s network.Setting) {
			p.Reportf(at, "%s of %s: %s does not verify certificates, and whoever is on the way can read and change what is exchanged", s.Name, file, network.Tool(file))
		})
	},
})

// whileBuilding reports variables by which a build does not verify: arguments, and the
// environment of the stages that files are copied from.
func whileBuilding(p *scan.Pass) {
	if p.Build == nil {
		return
	}
	tell := func(list []dockerfile.Setting) {
		for _, v := range list {
			if v.Known && network.VariableOff(v.Name, v.Value) != "" {
				p.Reportf(p.AtInstr(v.Instr), "%s is set for the RUNs behind it: certificates are not verified, and what is fetched can be anyone's", v.Name)
			}
		}
	}
	tell(p.Build.Args)
	for _, b := range p.Build.Sources() {
		tell(b.AllEnv)
		tell(b.Args)
	}
}

// unverified reports a command that does not verify certificates, or that sets a
// variable by which others do not.
func unverified(p *scan.Pass, at scan.Location, c commands.Command, then string) {
	if off := network.CommandOff(c); off != "" {
		p.Reportf(at, "%s does not verify certificates: %s", off, then)
	}
	for _, v := range c.Sets {
		if v.Value.Known && network.VariableOff(v.Name, v.Value.Text) != "" {
			p.Reportf(at, "%s is set here: certificates are not verified, and %s", v.Name, then)
		}
	}
}

// settings tells of the settings of one kind in the files that a container sees.
func settings(p *scan.Pass, kind network.Kind, tell func(at scan.Location, file string, s network.Setting)) {
	for f, list := range network.Settings.Facts(p.Image) {
		if f.Buried() || f.HardLink || unread.MatchString(f.Path) {
			continue
		}
		for _, s := range list {
			if s.Kind == kind {
				at := p.At(f)
				at.Line = s.Line
				tell(at, f.Path, s)
			}
		}
	}
	for at, w := range written(p) {
		if _, read := network.Settings.Of(p.Image.Lookup(w.Path)); read {
			continue
		}
		for _, s := range network.SettingsIn(w.Path, w.Text) {
			if s.Kind == kind {
				tell(at, w.Path, s)
			}
		}
	}
}

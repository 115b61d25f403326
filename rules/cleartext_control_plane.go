package rules

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX404", Name: "cleartext-control-plane", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{319},
	Title: "the control plane or an API is called without encryption",
	Many:  "%d addresses are called without encryption",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile | scan.InManifest,
	Needs: []scan.Need{launch.Fact, packages.Fact, python.Fact, network.ClearURLs},
	Run: func(p *scan.Pass) {
		session := p.Options.Session()
		tell := func(at scan.Location, name, host string) {
			p.Reportf(at, "%s is the address of %s without encryption: whoever is on the way reads the session's token and answers in its place", name, host)
		}
		for _, kv := range p.Image.Config.Env {
			name, value, _ := strings.Cut(kv, "=")
			if host := network.Cleartext(name, value, session); host != "" {
				tell(p.AtField("Env."+name), name, host)
			}
		}
		for _, s := range starts(p) {
			for name, value := range options(s.argv) {
				if host := network.Cleartext(name, value, session); host != "" {
					tell(s.at, name, host)
				}
			}
		}
		for _, c := range sandboxContainers(p) {
			for _, v := range c.Env {
				if host := network.Cleartext(v.Name, v.Raw, session); v.From == "" && host != "" {
					tell(inManifest(v.At), v.Name, host)
				}
			}
		}
		if p.NoImage {
			return
		}
		origins := network.Origins{Owners: packages.Fact.Of(p), Inventory: python.Fact.Of(p)}
		for f, list := range network.ClearURLs.Facts(p.Image) {
			if !origins.Own(f) {
				continue
			}
			for _, c := range list {
				at := p.At(f)
				at.Line = c.Line
				tell(at, c.Name, c.Host)
			}
		}
	},
})

// options yields the options of a command line with their values, in order.
func options(argv []string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for i, arg := range argv {
			name, value, attached := strings.Cut(arg, "=")
			if !attached && i+1 < len(argv) {
				value = argv[i+1]
			}
			if strings.HasPrefix(name, "-") && !yield(name, value) {
				return
			}
		}
	}
}

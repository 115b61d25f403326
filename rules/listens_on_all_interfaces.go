package rules

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
)

var _ = register(&scan.Rule{
	ID: "SBX406", Name: "listens-on-all-interfaces", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1327},
	Title: "what the container starts listens on all interfaces",
	Many:  "%d sockets listen on all interfaces",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile, Config: true,
	Needs: []scan.Need{launch.Fact, network.ServerConfigs},
	Run: func(p *scan.Pass) {
		found := false
		for _, l := range listening(p) {
			if l.everywhere() {
				found = true
				p.Reportf(l.at, "%s listens on all interfaces (%s): whoever shares the container's network can reach it", l.Program, l.Why)
			}
		}
		if !found {
			claimListening(p, launch.Fact.Of(p))
		}
	},
})

// claimListening claims that nothing listens on all interfaces, if all that runs
// before the untrusted code was read; what that code does is not the image's doing.
func claimListening(p *scan.Pass, l *launch.Launch) {
	if why := lost(l); why != "" {
		p.Unknownf(entry(p), "what the container starts could not be followed to the end: %s", why)
		return
	}
	judged := l.Outcome.Judged()
	i := slices.IndexFunc(judged, func(path effect.Path) bool {
		switch path.Sink.Kind {
		case effect.HandOffSink, effect.CallSink, effect.ServeSink, effect.ModuleSink:
			return true
		}
		return false
	})
	switch {
	case i >= 0:
		p.Unknownf(atSink(p, judged[i]), "nothing that was followed listens on all interfaces; what %s does is not known", sinkText(judged[i].Sink))
	case len(judged) == 0:
		p.Unknownf(entry(p), "what the container starts is not known")
	default:
		p.Shownf(entry(p), "nothing between the start of the container and the untrusted code listens on all interfaces")
	}
}

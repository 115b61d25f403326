package rules

import (
	"strconv"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// setBy adds where the manifest gives the container the variables.
func setBy(p *scan.Pass, f *scan.Finding, l *launch.Launch, v effect.Variables) {
	for _, c := range sandboxContainers(p) {
		for _, set := range given(l, c, v) {
			from := ""
			if set.From != "" {
				from = ", from " + set.From
			}
			f.Notef(inManifest(set.At), "%s is set here%s", set.Name, from)
		}
	}
}

// given are the variables of a container that are among those that are watched.
func given(l *launch.Launch, c *manifest.Container, v effect.Variables) []manifest.Variable {
	var out []manifest.Variable
	for _, set := range c.Env {
		for i, name := range l.Outcome.Watched {
			if name == set.Name && v&(1<<i) != 0 {
				out = append(out, set)
			}
		}
	}
	return out
}

// A reminder is a process beside the sandbox's own that is started with a variable which
// the sandbox removed, as a user whose /proc/PID/environ untrusted code can read.
type reminder struct {
	what string // "the livenessProbe"
	at   scan.Location
	set  manifest.Variable
}

// reminders are what gives untrusted code on a path the variables back that the manifest
// sets and that the path is rid of.
func reminders(p *scan.Pass, l *launch.Launch, r remnant) []reminder {
	var out []reminder
	gone := effect.All(min(len(l.Outcome.Watched), len(p.Options.Session()))) &^ r.left()
	for _, c := range sandboxContainers(p) {
		sets := given(l, c, gone)
		if len(sets) == 0 {
			continue
		}
		if startsAs := accounts.Fact.Of(p).Resolve(p.Image.Config.User); sameAccount(startsAs, r.path.State.UID.Effective) {
			for _, e := range c.Execs {
				out = append(out, reminder{"the " + e.Kind, inManifest(e.At), sets[0]})
			}
			if p.Workload.Kind == "service" && len(c.Execs) == 0 && len(p.Image.Config.Healthcheck) > 1 && p.Image.Config.Healthcheck[0] != "NONE" {
				out = append(out, reminder{"the image's HEALTHCHECK", p.AtField("Healthcheck"), sets[0]})
			}
		}
	}
	return append(out, neighbours(p, l, r, gone)...)
}

// neighbours are other containers of a pod whose processes the sandbox sees.
func neighbours(p *scan.Pass, l *launch.Launch, r remnant, gone effect.Variables) []reminder {
	var out []reminder
	if p.Workload == nil || !p.Workload.Shared.True() {
		return nil
	}
	uid := r.path.State.UID.Effective
	for _, c := range p.Workload.Containers {
		n, err := strconv.ParseInt(c.User.Value, 10, 64)
		if c.Role == manifest.Sandbox || c.Init || !c.User.Known() || err != nil || !uid.Known || n != uid.Num {
			continue
		}
		if sets := given(l, c, gone); len(sets) > 0 {
			out = append(out, reminder{"container " + c.Name + ", whose processes the sandbox sees,", inManifest(c.At), sets[0]})
		}
	}
	return out
}

// sameAccount reports whether an account is known to have the uid of a process.
func sameAccount(u accounts.User, id effect.ID) bool {
	return u.IsRoot() == accounts.No && id.Class == effect.User && id.Known && u.UID > 0 && int64(u.UID) == id.Num
}

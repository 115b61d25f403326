package rules

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

// subordinates notes ids of root's among those that a user may take into a user
// namespace of its own. In there it can be that id, over all files that belong to it
// outside too. Ids of nobody, as useradd(8) gives them, lead nowhere: a process of the
// namespace has no power over what is not mapped into it (user_namespaces(7)). It stays a
// note because engines deny new user namespaces by default, with their seccomp profile.
func subordinates(p *scan.Pass, u accounts.User) {
	a := accounts.Fact.Of(p)
	for _, x := range []struct {
		ranges            []accounts.Range
		tool, whose, then string
	}{
		{a.SubordinateUIDs(u), "newuidmap", "uid 0", "there it is root over root's files"},
		{a.SubordinateGIDs(u), "newgidmap", "gid 0", "there it is in root's group"},
	} {
		i := slices.IndexFunc(x.ranges, func(r accounts.Range) bool { return r.Holds(0) })
		if i < 0 {
			continue
		}
		r := x.ranges[i]
		if program, setuid := accounts.Setuid(p.Image, x.tool); setuid {
			p.Reportf(r.Source.At(p), "%s may take %s into a user namespace of its own with %s: %s, if the runtime lets it make one", u, x.whose, x.tool, x.then).
				As(scan.LevelNote).
				Notef(r.Source.At(p), "gives it the ids %d to %d", r.First, r.Last).
				Notef(p.At(program), "setuid root: it maps what this file gives")
		}
	}
}

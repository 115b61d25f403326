package rules

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

var _ = register(&scan.Rule{
	ID: "SBX210", Name: "privileged-group", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{250, 269},
	Title: "the runtime user is in a group that is worth root",
	Where: scan.InImage | scan.InDockerfile, Kernel: true,
	Needs: []scan.Need{accounts.Fact, accounts.Policies, launch.Runtime},
	Run: func(p *scan.Pass) {
		r := launch.Runtime.Of(p)
		if !r.Known {
			p.Unknownf(r.At, "%s", r.Why)
			return
		}
		acc := accounts.Fact.Of(p)
		groups, whole := acc.GroupsOf(r.User)
		byNumber := !r.User.Exists && r.User.GID == 0 && acc.Unknown == "" // SBX204 tells it
		clean := !byNumber
		for _, m := range memberships(groups) {
			if !byNumber || m.names[0] != "root" {
				m.report(p, r)
				clean = false
			}
		}
		clean = listed(p, r, groups) && clean
		switch {
		case !clean:
		case !whole:
			p.Unknownf(r.At, "the groups of %s are not all known: %s", r.User, missingGroups(acc))
		default:
			p.Shownf(r.At, "no group of %s is worth root", r.User)
		}
	},
})

// worth are the groups that distributions and programs give what only root should
// have.
var worth = map[string]string{
	"root":    "files of root's group are often open to it",
	"docker":  "who reaches the engine's socket is root on its host",
	"podman":  "who reaches the engine's socket has what its user has",
	"lxd":     "who reaches the daemon's socket is root on its host",
	"incus":   "who reaches the daemon's socket is root on its host",
	"libvirt": "who reaches the daemon's socket is root on its host",
	"sudo":    "sudo lets its members run anything as root",
	"wheel":   "sudo, doas and su let its members become root",
	"admin":   "sudo lets its members run anything as root",
	"disk":    "it reads and writes the raw disks that a container is given",
	"shadow":  "it reads every password hash",
	"kvm":     "it may use /dev/kvm, where the container has it",
	"kmem":    "it reads the kernel's memory, where the container has it",
}

// A membership is the groups worth root that one file or instruction puts a user
// into.
type membership struct {
	names  []string
	groups []accounts.Group
}

func memberships(groups []accounts.Group) []*membership {
	var out []*membership
	for _, g := range groups {
		name := g.Name
		if g.GID == 0 {
			name = "root"
		}
		if worth[name] == "" {
			continue
		}
		i := slices.IndexFunc(out, func(m *membership) bool {
			s := m.groups[0].Source
			return s.File == g.Source.File && s.Instr == g.Source.Instr && bySudo(m.names[0]) == bySudo(name)
		})
		if i < 0 {
			i, out = len(out), append(out, &membership{})
		}
		out[i].names, out[i].groups = append(out[i].names, name), append(out[i].groups, g)
	}
	return out
}

func (m *membership) report(p *scan.Pass, r launch.RuntimeFact) {
	if len(m.names) == 1 {
		f := p.Reportf(groupAt(p, r, m.groups[0]), "%s is in the group %s: %s", r.User, m.names[0], worth[m.names[0]])
		m.qualify(p, r, f)
		return
	}
	f := p.Reportf(groupAt(p, r, m.groups[0]), "%s is in the groups %s, which are worth root", r.User, few(m.names))
	for i, name := range m.names {
		f.Notef(groupAt(p, r, m.groups[i]), "%s: %s", name, worth[name])
	}
	m.qualify(p, r, f)
}

// qualify adds what makes a finding less, or less certain.
func (m *membership) qualify(p *scan.Pass, r launch.RuntimeFact, f *scan.Finding) {
	if bySudo(m.names[0]) && powerless(p) {
		f.As(scan.LevelNote).Notef(scan.Location{}, "the image has no sudo and no doas that could act on it")
	}
	if r.Assumed {
		f.Notef(r.At, "%s", r.Why)
	}
}

func bySudo(group string) bool { return slices.Contains([]string{"sudo", "wheel", "admin"}, group) }

// powerless reports whether neither sudo nor doas lets anybody become root.
func powerless(p *scan.Pass) bool {
	return !slices.ContainsFunc(accounts.Policies.Of(p), func(x *accounts.Policy) bool { return x.Void == "" })
}

func groupAt(p *scan.Pass, r launch.RuntimeFact, g accounts.Group) scan.Location {
	if at := g.Source.At(p); at != (scan.Location{}) {
		return at
	}
	return r.At
}

// listed reports the groups that a runtime does not give, because the user is named
// with a group, but newgrp(1) does.
func listed(p *scan.Pass, r launch.RuntimeFact, has []accounts.Group) bool {
	newgrp, setuid := accounts.Setuid(p.Image, "newgrp")
	clean := true
	for _, g := range accounts.Fact.Of(p).Listed(r.User) {
		why := worth[g.Name]
		if why == "" || !setuid || slices.ContainsFunc(has, func(o accounts.Group) bool { return o.GID == g.GID && o.Name == g.Name }) ||
			bySudo(g.Name) && powerless(p) {
			continue
		}
		clean = false
		p.Reportf(groupAt(p, r, g), "%s is started without the group %s, but newgrp gives it: %s", r.User, g.Name, why).
			Notef(p.At(newgrp), "setuid root: it gives its caller every group that /etc/group lists the caller in")
	}
	return clean
}

func missingGroups(acc *accounts.Accounts) string {
	if acc.UnknownGroups != "" {
		return acc.UnknownGroups
	}
	return "the Dockerfile does not say which group the account gets"
}

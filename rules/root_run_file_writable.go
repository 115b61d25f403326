package rules

import (
	"fmt"
	"path"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/rootcode"
)

var _ = register(&scan.Rule{
	ID: "SBX208", Name: "root-run-file-writable", Step: scan.Privilege, Level: scan.LevelError, Severity: 9.5, CWE: []int{732, 269},
	Title: "the runtime user may write what root executes or reads as code",
	Many:  "%d ways lead to files that root executes or reads as code",
	Where: scan.InImage, Kernel: true,
	Needs: []scan.Need{access.Fact, launch.Runtime, rootcode.Fact},
	Run: func(p *scan.Pass) {
		user, ok := sandboxed(p)
		if !ok {
			return
		}
		code := rootcode.Fact.Of(p)
		c := causes{p: p, user: user, may: access.Fact.Of(p).For(user), at: map[string]*cause{}}
		for _, it := range code.Items {
			c.judge(it.Path, it)
		}
		c.inside(code)
		c.report(code)
		switch {
		case c.unknown != "":
			p.Unknownf(scan.Location{}, "%s", c.unknown)
		case code.Starts == accounts.Unknown:
			p.Unknownf(scan.Location{}, "what root runs is not known: how a container starts is not")
		case len(c.order) == 0:
			p.Shownf(scan.Location{}, "%s may change nothing that root runs or reads as code", user)
		}
	},
})

// sandboxed returns the user that untrusted code runs as. Where there is none but
// root, it claims so: then there is nothing to judge.
func sandboxed(p *scan.Pass) (accounts.User, bool) {
	r := launch.Runtime.Of(p)
	if !r.Known {
		p.Unknownf(r.At, "%s", r.Why)
	}
	return r.User, r.Known
}

// assume adds to a finding that its user is only assumed.
func assume(p *scan.Pass, f *scan.Finding) {
	if r := launch.Runtime.Of(p); r.Assumed {
		f.Notef(r.At, "%s", r.Why)
	}
}

// A cause is one file or directory that lets the user change things.
type cause struct {
	way   access.Way
	first string // path that root uses
	item  rootcode.Item
	more  int // other paths that it opens
}

type causes struct {
	p       *scan.Pass
	user    accounts.User
	may     *access.Checker
	at      map[string]*cause
	order   []*cause
	unknown string
}

// judge asks whether the user may change what is at a path that root uses.
func (c *causes) judge(at string, it rootcode.Item) {
	w := c.may.Change(at)
	switch {
	case w.Answer == accounts.Unknown && c.unknown == "":
		c.unknown = fmt.Sprintf("whether %s may change %s can't be told: %s", c.user, at, w.Fact)
	case w.Answer != accounts.Yes:
	case c.at[w.Path] != nil:
		c.at[w.Path].more++
	default:
		c.at[w.Path] = &cause{way: w, first: at, item: it}
		c.order = append(c.order, c.at[w.Path])
	}
}

// inside judges the files in the directories that root uses.
func (c *causes) inside(code *rootcode.Code) {
	dirs := map[string]rootcode.Item{}
	for _, it := range code.Items {
		if f := c.p.Image.Lookup(it.Path); f != nil {
			it.Path = f.Path
		}
		if _, there := dirs[it.Path]; it.Inside != rootcode.Nothing && !there {
			dirs[it.Path] = it
		}
	}
	for f := range c.p.Image.Files() {
		if !f.Live() {
			continue
		}
		for dir := path.Dir(f.Path); ; dir = path.Dir(dir) {
			if it, ok := dirs[dir]; ok && code.Holds(it.Inside, dir, f) {
				c.judge(f.Path, it)
				break
			}
			if dir == "/" {
				break
			}
		}
	}
}

func (c *causes) report(code *rootcode.Code) {
	for _, x := range c.order {
		what := fmt.Sprintf("%s can change %s, %s", c.user, x.first, x.item.What)
		if x.item.Inside != rootcode.Nothing && x.first != x.item.Path {
			what = fmt.Sprintf("%s can change %s, in %s, %s", c.user, x.first, x.item.Path, x.item.What)
		}
		if x.way.Path != x.first {
			what += ", through " + x.way.Path
		}
		if x.more > 0 {
			what += fmt.Sprintf(" (and %d more that root runs or reads)", x.more)
		}
		at := scan.Location{Path: x.way.Path}
		if x.way.File != nil {
			at = c.p.At(x.way.File)
		}
		f := c.p.Reportf(at, "%s", what).Notef(at, "%s: %s", x.way.Path, x.way.Fact)
		assume(c.p, f)
		switch {
		case code.Starts == accounts.Yes:
		case code.Setuid == nil || !x.item.Becomes:
			f.As(scan.LevelWarning).Notef(scan.Location{}, "the container does not start as root: this waits for someone who enters as root")
		default:
			f.Notef(c.p.At(code.Setuid), "%s is setuid root and reads it", code.Setuid.Path)
		}
	}
}

package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX104", Name: "bytecode-writable", Step: scan.Bytecode, Level: scan.LevelError, Severity: 8.0, CWE: []int{732, 494},
	Title: "the runtime user may write the bytecode that is to confine it",
	Many:  "%d files and directories let the runtime user change bytecode",
	Where: scan.InImage,
	Needs: []scan.Need{access.Fact, launch.Runtime, python.Fact},
	Run: func(p *scan.Pass) {
		inv := python.Fact.Of(p)
		var judged []*python.Bytecode
		for _, b := range inv.Bytecode() {
			if b.File.Live() && b.Class != python.StandardLibrary && b.Class != python.Distribution {
				judged = append(judged, b)
			}
		}
		if len(judged) == 0 {
			noBytecode(p, inv)
			return
		}
		if user, ok := sandboxed(p); ok {
			bytecode(p, judged, user)
		}
	},
})

// noBytecode claims what an image without bytecode of its own shows.
func noBytecode(p *scan.Pass, inv *python.Inventory) {
	if n := inv.Counts()[python.FirstParty]; n > 0 {
		p.Unknownf(scan.Location{}, "there is no bytecode to judge, only first-party source (%d)", n)
		return
	}
	p.Shownf(scan.Location{}, "the image has no bytecode but the interpreter's and the distribution's")
}

// changes says whether the user can have something else imported than b: by changing
// it, or by putting a source beside it, which Python takes first.
func changes(may *access.Checker, b *python.Bytecode) access.Way {
	w := may.Change(b.File.Path)
	if beside := may.Change(b.Source); w.Answer != accounts.Yes && !b.Cached && beside.Answer != accounts.No {
		if beside.Answer == accounts.Yes {
			beside.Fact += ": a source that is put beside the bytecode is imported first"
		}
		return beside
	}
	return w
}

// bytecode judges what runs in the framework's process, whether it starts as root
// or as the user itself. What one directory opens is one finding.
func bytecode(p *scan.Pass, judged []*python.Bytecode, user accounts.User) {
	may := access.Fact.Of(p).For(user)
	ways := map[string]access.Way{}
	first, count := map[string]*python.Bytecode{}, map[string]int{}
	var order []string
	unknown := ""
	for _, b := range judged {
		w := changes(may, b)
		switch {
		case w.Answer == accounts.Unknown:
			unknown = fmt.Sprintf("whether %s may change %s can't be told: %s", user, b.File.Path, w.Fact)
		case w.Answer == accounts.Yes && count[w.Path] == 0:
			ways[w.Path], first[w.Path] = w, b
			order = append(order, w.Path)
			fallthrough
		case w.Answer == accounts.Yes:
			count[w.Path]++
		}
	}
	for _, at := range order {
		w, what := ways[at], first[at].File.Path
		if w.Path != what {
			what += ", through " + w.Path
		}
		if n := count[at] - 1; n > 0 {
			what += fmt.Sprintf(" (and %d more)", n)
		}
		f := p.Reportf(p.At(w.File), "%s can change the bytecode %s", user, what).Mend(rootOwned(p, w.File))
		assume(p, f.Notef(p.At(w.File), "%s: %s", w.Path, w.Fact))
	}
	switch {
	case unknown != "":
		p.Unknownf(scan.Location{}, "%s", unknown)
	case len(order) == 0:
		p.Shownf(scan.Location{}, "%s may change no bytecode outside the standard library and the distribution's packages (%d judged)", user, len(judged))
	}
}

// rootOwned leaves to root what a COPY gives to somebody else, or takes from everyone
// the right to write it.
func rootOwned(p *scan.Pass, f *image.File) *scan.Fix {
	if p.Build == nil || f == nil {
		return nil
	}
	in := p.Build.File.Find(p.At(f).Source)
	if in == nil || in.Cmd != "COPY" && in.Cmd != "ADD" {
		return nil
	}
	if f.UID != 0 && slices.ContainsFunc(in.Flags, func(flag string) bool { return strings.HasPrefix(flag, "--chown=") }) {
		return fix.Flag(p.Build, in, true, "--chown", "0:0")
	}
	return fix.LeastFlag(p.Build, in, true)
}

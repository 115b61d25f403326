package rules

import (
	"path"
	"regexp"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX105", Name: "bytecode-readable", Step: scan.Bytecode, Level: scan.LevelNote, Severity: 2.0, CWE: []int{732},
	Title: "the user that runs untrusted code can read bytecode that root alone would have to",
	Many:  "%d bytecode files can be read by the user that runs untrusted code, although Python starts as root and could read them first",
	Where: scan.InImage, Config: true,
	Needs: []scan.Need{python.Fact, accounts.Fact, launch.Fact, launch.Runtime, access.Fact},
	Run: func(p *scan.Pass) {
		if !startsPythonAsRoot(p) {
			return
		}
		user, known := launch.RuntimeUser(p)
		if !known { // whoever it is, what everybody may do is open to it
			user = accounts.User{Spec: "a user of its own", Known: true, UID: nobody, GID: nobody}
		}
		inv, may := python.Fact.Of(p), access.Fact.Of(p).For(user)
		closed := 0
		for _, b := range inv.Bytecode() {
			if b.Class != python.FirstParty || inv.Import(b).State != python.Loads {
				continue
			}
			switch way := may.May(b.File.Path, access.Read); {
			case way.Answer == accounts.Yes && known:
				p.Reportf(p.At(b.File), "%s can be read by %s (%s), although Python starts as root and could read it first", b.File.Path, user, way.Fact)
			case way.Answer == accounts.Yes:
				p.Reportf(p.At(b.File), "%s can be read by every user (%s), although Python starts as root and could read it first", b.File.Path, way.Fact)
			case way.Answer == accounts.Unknown:
				p.Unknownf(p.At(b.File), "whether %s can be read by %s is not known: %s", b.File.Path, user, way.Fact)
			default:
				closed++
			}
		}
		if closed > 0 && known {
			p.Shownf(scan.Location{}, "%d bytecode files can't be read by %s", closed, user)
		}
	},
})

// nobody is the uid and gid that by convention own nothing.
const nobody = 65534

var pythonProgram = regexp.MustCompile(`^(python|pypy)[0-9.]*t?$`)

// startsPythonAsRoot reports whether the container starts as root and nothing
// drops that before Python runs, so that Python itself can read what only root may
// and drop then. A wrapper that drops first needs bytecode that its user can read.
func startsPythonAsRoot(p *scan.Pass) bool {
	if accounts.Fact.Of(p).Resolve(p.Image.Config.User).IsRoot() != accounts.Yes {
		return false
	}
	l := launch.Fact.Of(p)
	if l.Drop.How != "" && !l.Drop.Inside || len(l.Chain) == 0 {
		return false
	}
	last := l.Chain[len(l.Chain)-1]
	return pythonProgram.MatchString(path.Base(last.Argv[0])) || pythonProgram.MatchString(path.Base(last.Path))
}

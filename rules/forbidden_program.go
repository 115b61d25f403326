package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

var _ = register(&scan.Rule{
	ID: "SBX603", Name: "forbidden-program", Step: scan.Supply, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1125},
	Title: "a program is there that the configuration forbids",
	Many:  "%d forbidden programs are here",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{commands.Fact},
	Run: func(p *scan.Pass) {
		if len(p.Options.Forbid) == 0 {
			return
		}
		many := multiCalls(p)
		for f := range p.Image.Files() {
			if name := path.Base(f.Path); !f.Buried() && slices.Contains(p.Options.Forbid, name) {
				forbidden(p, f, name, many)
			}
		}
		for _, u := range p.Image.Unseen {
			if name := path.Base(u.Path); slices.Contains(p.Options.Forbid, name) && p.Image.Lookup(u.Path) == nil {
				p.Reportf(p.AtLayer(u.Layer), "%s is %s, which is forbidden", u.Path, name)
			}
		}
		forbiddenPackages(p)
	},
})

// forbidden reports a file with a forbidden name, if it is a program or a link to one.
func forbidden(p *scan.Pass, f *image.File, name string, multiCalls map[*image.File]*image.File) {
	program := p.Image.Lookup(f.Path)
	if program == nil || !isProgram(p, program) || path.Dir(f.Path) == "/etc/alternatives" { // what leads there is told
		return
	}
	many := multiCalls[content(program)]
	if isMultiCall(program) {
		many = program
	}
	switch {
	case many != nil && many.Path != f.Path:
		p.Reportf(p.At(f), "%s is %s, which is forbidden: a name of %s, which has it built in", f.Path, name, path.Base(many.Path)).
			Notef(p.At(many), "without the name, %s %s still runs it", path.Base(many.Path), name)
	case program.Path != f.Path:
		p.Reportf(p.At(f), "%s is %s, which is forbidden: a link to %s", f.Path, name, program.Path)
	default:
		p.Reportf(p.At(f), "%s is %s, which is forbidden", f.Path, name)
	}
}

// multiCalls are BusyBox and Toybox, which are every program by whose name they are
// called, by the file whose bytes they have.
func multiCalls(p *scan.Pass) map[*image.File]*image.File {
	out := map[*image.File]*image.File{}
	for f := range p.Image.Files() {
		if of := content(f); !f.Buried() && f.Mode.IsRegular() && isMultiCall(f) && out[of] == nil {
			out[of] = f
		}
	}
	return out
}

func isMultiCall(f *image.File) bool {
	name := path.Base(f.Path)
	return strings.HasPrefix(name, "busybox") || strings.HasPrefix(name, "toybox")
}

// content is the file whose bytes f has, hard links followed.
func content(f *image.File) *image.File {
	for f.HardLink && f.Original != nil {
		f = f.Original
	}
	return f
}

// forbiddenPackages reports packages that have the name of a forbidden program and that
// a build installs for good: what they bring is not among its files.
func forbiddenPackages(p *scan.Pass) {
	if !p.Image.Predicted {
		return
	}
	for _, i := range packages.Installs(p.Build) {
		if slices.Contains(p.Options.Forbid, i.Package) && !removedAgain(p, i) {
			p.Reportf(p.AtInstr(i.Instr), "%s installs %s, which is forbidden", i.Manager, i.Package)
		}
	}
}

// removedAgain reports whether the same instruction or a later one removes a package,
// or may: by a name that is not its own, as that of a virtual package, or by none.
func removedAgain(p *scan.Pass, i packages.Install) bool {
	from := i.Instr.Span.Start
	return slices.ContainsFunc(commands.Fact.Of(p), func(s *commands.Script) bool {
		return s.At.Source.Start >= from && slices.ContainsFunc(s.Commands(), func(c commands.Command) bool {
			return c.Name() == i.Manager && removes(c.Args(), i.Package)
		})
	})
}

var removal = []string{"remove", "purge", "autoremove", "autopurge", "del", "erase", "-R", "-Rs", "-Rns"}

func removes(args []shell.Word, name string) bool {
	if !slices.ContainsFunc(args, func(w shell.Word) bool { return slices.Contains(removal, w.Text) }) {
		return false
	}
	others := false
	for _, w := range args {
		switch {
		case !w.Known || w.Text == name || strings.HasPrefix(w.Text, "."):
			return true
		case w.Text != "" && !strings.HasPrefix(w.Text, "-") && !slices.Contains(removal, w.Text):
			others = true
		}
	}
	return !others
}

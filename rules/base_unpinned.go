package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

var _ = register(&scan.Rule{
	ID: "SBX601", Name: "base-unpinned", Step: scan.Supply, Level: scan.LevelNote, Severity: 2.0, CWE: []int{1357},
	Title: "an image that this one is made of is named without its digest",
	Many:  "%d images are named without their digests",
	Each:  true,
	Where: scan.InDockerfile,
	Run: func(p *scan.Pass) {
		for _, o := range p.Build.Origins() {
			r := dockerfile.ParseRef(o.Ref)
			if stage(p.Build, o.Ref) || !o.Known && r.Tag == "" { // a value given for the variable can hold a digest
				continue
			}
			if r.Digest == "" && reference.MatchString(o.Ref) {
				p.Reportf(p.AtInstr(o.Instr), "%s", unpinned(o, r))
			}
		}
	},
})

// stage reports whether name is that of a stage, also of one that comes too late.
func stage(b *dockerfile.Build, name string) bool {
	return slices.ContainsFunc(b.File.Stages, func(s *dockerfile.Stage) bool { return strings.EqualFold(s.Name, name) })
}

// reference is what an image may be called. Anything else fails to build, and could
// hold a login.
var reference = regexp.MustCompile(`^[\w${}][\w.:/${}+-]*$`)

// unpinned says what a reference without a digest leaves open.
func unpinned(o dockerfile.Origin, r dockerfile.Ref) string {
	name := map[string]string{"FROM": "FROM ", "COPY": "COPY --from=", "RUN": "RUN --mount=from="}[o.Instr.Cmd] + o.Ref
	switch r.Tag {
	case "":
		return name + " has neither a tag nor a digest: it is whatever was pushed as latest when the build runs"
	case "latest":
		return name + " is whatever was pushed last when the build runs: give a version and its digest"
	}
	return name + " has no digest: whoever can push that tag changes what is built"
}

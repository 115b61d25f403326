package fix

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// Apart moves a COPY, and the RUNs after it up to the one that deletes what it brought,
// to a stage of their own, from which the target takes the result: no layer of the
// target then holds what was deleted. The RUNs may change nothing outside of the
// directory that the COPY brings, and that directory is named by an absolute path. It
// is nil where the instructions do not allow that.
func Apart(b *dockerfile.Build, copied, deletes *dockerfile.Instr) *scan.Fix {
	st := b.Target
	from, to := slices.Index(st.Instrs, copied), slices.Index(st.Instrs, deletes)
	if from < 0 || to <= from || copied.Cmd != "COPY" || len(copied.Args) < 2 || numbered(b.File) {
		return nil
	}
	dir := path.Clean(copied.Args[len(copied.Args)-1])
	if !path.IsAbs(dir) || dir == "/" || strings.ContainsAny(dir, "$*?[ \"'") || !strings.HasPrefix(dir, "/") {
		return nil
	}
	for i, in := range st.Instrs[from : to+1] {
		if i > 0 && in.Cmd != "RUN" || len(in.Comments) > 0 && i > 0 {
			return nil
		}
	}
	l := b.File.Layout(st.From)
	base, image := unused(b.File, "base"), l.Args()
	words := l.Words()
	if image.IsZero() || len(words) == 0 {
		return nil
	}
	build := unused(b.File, "bytecode")
	again := "FROM " + base
	if st.Name != "" {
		again += " AS " + st.Name
	}
	named := dockerfile.Range{Start: words[0].End, End: words[len(words)-1].End} // a name it has goes to the last stage
	f := &scan.Fix{Description: "compile in a build stage, and copy only what is left", Edits: []scan.Edit{
		edit(st.From, named, " AS "+base),
		edit(copied, before(copied.Span.Start), fmt.Sprintf("FROM %s AS %s\n", base, build)),
		edit(deletes, before(deletes.Span.End+1), fmt.Sprintf("%s\nCOPY --from=%s %s %s\n", again, build, dir, dir)),
	}}
	return f
}

// numbered reports whether something names a stage by its number, which a further
// stage would change.
func numbered(f *dockerfile.File) bool {
	for _, st := range f.Stages {
		for _, in := range st.Instrs {
			for _, flag := range in.Flags {
				value, ok := strings.CutPrefix(flag, "--from=")
				if i := strings.Index(flag, "from="); !ok && i >= 0 {
					value, ok = flag[i+len("from="):], true
				}
				if ok && value != "" && '0' <= value[0] && value[0] <= '9' {
					return true
				}
			}
		}
	}
	return false
}

// unused is a name for a stage that no stage has and no FROM or COPY means.
func unused(f *dockerfile.File, name string) string {
	taken := func(s string) bool {
		return slices.ContainsFunc(f.Stages, func(st *dockerfile.Stage) bool {
			return st.Name == s || st.Base == s || slices.ContainsFunc(st.Instrs, func(in *dockerfile.Instr) bool { return strings.Contains(in.Text, "from="+s) })
		})
	}
	out := name
	for i := 2; taken(out); i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	return out
}

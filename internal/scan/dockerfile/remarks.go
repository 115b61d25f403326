package dockerfile

import "fmt"

// Remarks tells what the build leaves unjudged: stages that the target does not need,
// and what only a base image knows that was not read.
func (b *Build) Remarks() []Problem {
	var out []Problem
	if b.Image == nil && b.BaseKnown && b.Base != "scratch" {
		out = append(out, Problem{
			Span: b.From.Span, What: fmt.Sprintf("the base image %s was not read, so what it decides is unknown", b.Base),
			Hint: "read it with --base-image, from an archive, a layout or where images are kept",
		})
	}
	for _, s := range b.Unused {
		out = append(out, Problem{
			Span: s.From.Span, What: fmt.Sprintf("stage %s is not judged: stage %s does not need it", s, b.Target),
			Hint: fmt.Sprintf("audit it with --target %s", s),
		})
	}
	return out
}

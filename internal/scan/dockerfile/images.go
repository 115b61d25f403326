package dockerfile

import (
	"slices"
	"strconv"
)

// An Origin is an image from elsewhere that a build takes files from: the base of a
// stage, or what a COPY --from or a mount names.
type Origin struct {
	Ref   string // expanded as far as it is known
	Known bool   // every variable in it had a value
	Instr *Instr // FROM, COPY, ADD or RUN
}

// Origins returns the images from elsewhere that the target needs, in the order of
// the file. "scratch" is none.
func (b *Build) Origins() []Origin {
	var out []Origin
	add := func(marked string, in *Instr) {
		o := Origin{plain(marked), isKnown(marked), in}
		if o.Ref != "" && o.Ref != "scratch" && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	globals := b.globals.inner() // expansion counts what it costs
	for _, s := range b.File.Stages {
		if slices.Contains(b.Unused, s) {
			continue
		}
		if base := b.bases[s.Index]; b.File.before(s, base) == nil {
			add(base, s.From)
		}
		for _, in := range s.Instrs {
			for _, from := range origins(in) {
				if _, err := strconv.Atoi(from); err != nil && b.File.source(s, from) == nil {
					add(globals.word(from), in)
				}
			}
		}
	}
	return out
}

// maxSources is how many stages are evaluated because files come from them.
const maxSources = 50

// Sources returns the stages that the target takes files from without being based
// on them, evaluated, in the order of the file.
func (b *Build) Sources() []*Build {
	var out []*Build
	for _, s := range b.File.Stages {
		if slices.Contains(b.Unused, s) || slices.Contains(b.Chain, s) || len(out) >= maxSources {
			continue
		}
		if x, err := b.File.BuildOn(strconv.Itoa(s.Index), b.given, b.images); err == nil && x.Target == s {
			out = append(out, x)
		}
	}
	return out
}

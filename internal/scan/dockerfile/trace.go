package dockerfile

// Trace says which instruction of the target stage, or of a stage it is based
// on, made each entry of an image's history. The result has one element per
// entry, without an instruction where that is unknown, as it is for everything
// the base image did. whole reports that the history ends with the whole
// Dockerfile, so that what comes before is the base's.
//
// The Dockerfile may have changed since the image was built, and entries may say
// little. So an entry gets an instruction only if either the end of the history
// reads as the whole Dockerfile, one by one; or its text is that of the
// instruction and no other way to lay the two over each other is as good.
func Trace(b *Build, history []History) (out []Traced, whole bool) {
	out = make([]Traced, len(history))
	if b == nil || len(b.Steps) == 0 || len(history) == 0 {
		return out, false
	}
	entries := readEntries(history)
	named := len(entries)
	for named > 0 && entries[named-1].squashed {
		named--
	}
	recent := max(0, named-maxAligned)
	t := newTracing(entries[recent:named], b.Steps[max(0, len(b.Steps)-maxAligned):])
	if whole = t.whole(); !whole {
		t.align()
	}
	for i, j := range t.step {
		if j >= 0 {
			out[recent+i].Instr = t.steps[j].instr
		}
	}
	switch t.dialect {
	case solved:
		single(entries, out)
	case written:
		single(entries, out)
		t.lump(out[recent:])
	default:
		shared(b, entries, out)
	}
	return out, whole
}

// maxAligned is how many entries and steps are compared, the last of each. Both
// are far above what engines take: 127 layers.
const maxAligned = 1024

// A Traced entry is what is known of one of a history.
type Traced struct {
	Instr *Instr // that the entry is about; nil if unknown
	// Layer is the instruction that brought or changed the files of the entry's
	// layer: not always the entry's own, as builders may put what several
	// instructions did into one layer. Nil if unknown, or there is no layer.
	Layer *Instr
	// Beside are WORKDIRs whose directories may be in that layer too.
	Beside []*Instr
}

// A tracing lays a history over the steps of a Dockerfile.
type tracing struct {
	entries []entry
	steps   []*recorded
	dialect dialect
	step    []int  // of each entry; -1 if none
	taken   []bool // steps that have an entry
}

func (t *tracing) pair(i, j int) { t.step[i], t.taken[j] = j, true }

func newTracing(entries []entry, steps []*Step) *tracing {
	t := &tracing{entries: entries, dialect: dialectOf(entries), step: make([]int, len(entries))}
	for i := range t.step {
		t.step[i] = -1
	}
	t.steps = t.recordable(record(steps))
	t.taken = make([]bool, len(t.steps))
	return t
}

// recordable leaves out the steps that the dialect does not record.
func (t *tracing) recordable(steps []*recorded) []*recorded {
	var out []*recorded
	for i, r := range steps {
		switch t.dialect {
		case solved:
			if r.cmd == "ONBUILD" {
				continue
			}
		case written:
			if !r.changesFiles() && (r.cmd != "WORKDIR" && i < len(steps)-1 || !t.mentions(r)) {
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// changesFiles reports whether the step certainly makes a layer of its own.
func (r *recorded) changesFiles() bool { return r.cmd == "RUN" || r.cmd == "COPY" || r.cmd == "ADD" }

func (t *tracing) mentions(r *recorded) bool {
	for i := range t.entries {
		if r.is(&t.entries[i]) {
			return true
		}
	}
	return false
}

// whole pairs the end of the history with the whole Dockerfile. It reports
// whether that is possible. What comes first there and says little is left out if
// it could as well be of an entry before: lines may have gone since.
func (t *tracing) whole() bool {
	before := len(t.entries) - len(t.steps)
	if before < 0 || len(t.steps) == 0 {
		return false
	}
	for j, r := range t.steps {
		if e := &t.entries[before+j]; !r.is(e) && !r.maybe(e) {
			return false
		}
	}
	clear := false
	for j, r := range t.steps {
		clear = clear || r.is(&t.entries[before+j])
		if clear || !t.before(before, r) {
			t.pair(before+j, j)
		}
	}
	return true
}

// before reports whether one of the first n entries may be about the step.
func (t *tracing) before(n int, r *recorded) bool {
	for i := range n {
		if r.is(&t.entries[i]) || r.maybe(&t.entries[i]) {
			return true
		}
	}
	return false
}

// single tells the instructions behind the layers where each layer has its own
// entry. A merge of layers has not.
func single(entries []entry, out []Traced) {
	for i, e := range entries {
		if !e.empty && (e.makesFiles() || e.cmd == "WORKDIR") {
			out[i].Layer = out[i].Instr
		}
	}
}

// shared tells the instructions behind the layers where builders may put what
// several did into one: Buildah what a whole stage did into the layer of its last
// entry, or of the image's only one. What brought a file is then known only if no
// two instructions can have.
func shared(b *Build, entries []entry, out []Traced) {
	start := 0 // of the entries since the last layer
	for i := range entries {
		if entries[i].empty {
			continue
		}
		withBase := start == 0 && b.Base != "scratch" // its files have no entry of their own
		if !withBase {
			out[i].Layer, out[i].Beside = maker(entries[start:i+1], out[start:i+1])
		}
		start = i + 1
	}
}

// maker is the instruction that brought the files of the layer that the last
// entry of a group has.
func maker(group []entry, origins []Traced) (by *Instr, beside []*Instr) {
	found := false
	for i, o := range origins {
		switch {
		case group[i].makesFiles() && found:
			return nil, nil
		case group[i].makesFiles():
			by, found = o.Instr, true
		case group[i].cmd == "WORKDIR" && o.Instr != nil:
			beside = append(beside, o.Instr)
		}
	}
	if last := len(group) - 1; !found && group[last].cmd == "WORKDIR" {
		return origins[last].Instr, nil
	}
	return by, beside
}

// lump takes back the sources of layers before which steps that change files have
// no entry: Kaniko may have put what they did there.
func (t *tracing) lump(out []Traced) {
	next := 0
	for i, j := range t.step {
		if j < 0 {
			continue
		}
		for ; next < j; next++ {
			if t.steps[next].changesFiles() {
				out[i].Layer, out[i].Beside = nil, nil
			}
		}
		next = j + 1
	}
}

// MadeAt returns the instruction of the target or a stage it is based on that
// stands in those lines of the Dockerfile and makes a layer; nil if none does.
func (b *Build) MadeAt(first, last int) *Instr {
	for _, s := range b.Steps {
		if sp := s.Instr.Span; s.MakesLayer() && sp.Start <= first && last <= sp.End {
			return s.Instr
		}
	}
	return nil
}

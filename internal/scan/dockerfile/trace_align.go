package dockerfile

// A pair is an entry and the step whose text it has.
type pair struct{ entry, step int }

// align pairs the entries of a Dockerfile that changed. It believes what has the
// same text in all best alignments, from where it is clear that the history is no
// longer that of the base image, and then what lies between such pairs.
func (t *tracing) align() {
	sure := t.own(t.certain())
	for _, p := range sure {
		t.pair(p.entry, p.step)
	}
	sure = append(sure, pair{len(t.entries), len(t.steps)})
	for k := 1; k < len(sure); k++ {
		t.between(sure[k-1], sure[k])
	}
}

// certain returns the pairs that every longest alignment of equal texts has.
func (t *tracing) certain() []pair {
	n, m := len(t.entries), len(t.steps)
	equal := make([]bool, n*m)
	for i := range n {
		for j := range m {
			equal[i*m+j] = t.steps[j].is(&t.entries[i])
		}
	}
	before, after := longest(equal, n, m)
	whole := before[len(before)-1]
	at := make([][]pair, whole+1) // by how many pairs come before; two of each are enough
	for i := range n {
		for j := range m {
			level := before[i*(m+1)+j]
			if equal[i*m+j] && level+1+after[(i+1)*(m+1)+j+1] == whole && len(at[level]) < 2 {
				at[level] = append(at[level], pair{i, j})
			}
		}
	}
	var out []pair
	for _, ps := range at[:whole] {
		if len(ps) == 1 {
			out = append(out, ps[0])
		}
	}
	return out
}

// longest returns how many pairs the longest alignment has before and from each
// entry i and step j, at i*(m+1)+j.
func longest(equal []bool, n, m int) (before, after []int32) {
	w := m + 1
	before, after = make([]int32, (n+1)*w), make([]int32, (n+1)*w)
	for i := range n {
		for j := range m {
			best := max(before[i*w+j+1], before[(i+1)*w+j])
			if equal[i*m+j] {
				best = max(best, before[i*w+j]+1)
			}
			before[(i+1)*w+j+1] = best
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best := max(after[(i+1)*w+j], after[i*w+j+1])
			if equal[i*m+j] {
				best = max(best, after[(i+1)*w+j+1]+1)
			}
			after[i*w+j] = best
		}
	}
	return before, after
}

// own drops the pairs that may be the base image's doing: those before the first
// instruction that works on files and has another pair next to it. An ENV or CMD
// alone proves nothing, every base has one.
func (t *tracing) own(ps []pair) []pair {
	for k, p := range ps {
		if t.steps[p.step].changesFiles() && (k > 0 && t.next(ps[k-1], p) || k+1 < len(ps) && t.next(p, ps[k+1])) {
			return ps[k:]
		}
	}
	return nil
}

// next reports whether q follows p: at once in the history, or with as many
// instructions of the same kinds between them in the Dockerfile.
func (t *tracing) next(p, q pair) bool {
	n := q.entry - p.entry - 1
	if n == 0 {
		return true
	}
	if n != q.step-p.step-1 {
		return false
	}
	for k := 1; k <= n; k++ {
		if t.entries[p.entry+k].cmd != t.steps[p.step+k].cmd {
			return false
		}
	}
	return true
}

// between pairs what lies between two pairs and says too little to be sure of it
// alone: an entry that may be about one step there, if no other there may be.
func (t *tracing) between(p, q pair) {
	last := p.step
	for i := p.entry + 1; i < q.entry; i++ {
		if j := t.only(i, p, q); j > last {
			t.pair(i, j)
			last = j
		}
	}
}

// only returns the one step between two pairs that entry i may be about, and no
// other entry there; -1 if there is none, or the entry's text stands elsewhere.
func (t *tracing) only(i int, p, q pair) int {
	e, found := &t.entries[i], -1
	for j, r := range t.steps {
		within := j > p.step && j < q.step
		switch {
		case t.taken[j] || !r.is(e) && (!within || !r.maybe(e)):
		case found >= 0 || !within:
			return -1
		default:
			found = j
		}
	}
	for k := p.entry + 1; found >= 0 && k < q.entry; k++ {
		if other := &t.entries[k]; k != i && (t.steps[found].is(other) || t.steps[found].maybe(other)) {
			return -1
		}
	}
	return found
}

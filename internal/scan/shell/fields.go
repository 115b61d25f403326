package shell

import "strings"

// fields collects what one word becomes.
type fields struct {
	done []Word
	cur  Word
	some bool // cur has begun
}

func (f *fields) add(w Word) {
	if !f.some {
		f.cur, f.some = w, true
		return
	}
	f.cur.Known = f.cur.Known && w.Known && len(f.cur.Text)+len(w.Text) <= maxText
	if len(f.cur.Text) <= maxText {
		f.cur.Text += w.Text
	}
	f.cur.Loose = f.cur.Loose || w.Loose
	f.cur.Any = f.cur.Any || w.Any
	f.cur = f.cur.with(w.Holds)
}

func (f *fields) unknown(text string, many bool) { f.add(Word{Text: text, Any: many}) }

// expansion adds the value of an expansion, split at blanks unless quoted.
func (f *fields) expansion(words []Word, quoted, split bool) {
	for i, w := range words {
		if i > 0 {
			f.cut()
		}
		if quoted || !split {
			f.add(w)
			continue
		}
		if !w.Known {
			w.Any = true
			f.add(w)
			continue
		}
		f.split(w)
	}
}

func (f *fields) split(w Word) {
	parts := strings.Fields(w.Text)
	if len(parts) == 0 {
		return
	}
	if strings.ContainsAny(w.Text[:1], " \t\n") {
		f.cut()
	}
	for i, p := range parts {
		if i > 0 {
			f.cut()
		}
		f.add(Word{Text: p, Known: true, Loose: w.Loose, Holds: w.Holds})
	}
	if strings.ContainsAny(w.Text[len(w.Text)-1:], " \t\n") {
		f.cut()
	}
}

// list adds a quoted "$@" or "${a[@]}": each element stays one word. Alone, an
// empty list is no word at all.
func (f *fields) list(words []Word, alone bool) {
	if alone && len(words) == 0 && f.cur == (Word{Known: true}) {
		f.some = false
	}
	for i, w := range words {
		if i > 0 {
			f.cut()
		}
		f.add(w)
	}
}

func (f *fields) cut() {
	if f.some {
		f.done, f.cur, f.some = append(f.done, f.cur), Word{}, false
	}
}

func (f *fields) end() []Word {
	f.cut()
	return f.done
}

// join makes one word of all, as "$*" and an assignment do.
func join(all []Word) Word {
	out := Word{Known: true}
	for i, w := range all {
		if i > 0 {
			out.Text += " "
		}
		out.Text += w.Text
		out.Known = out.Known && w.Known && len(out.Text) <= maxText
		out.Loose = out.Loose || w.Loose
		out = out.with(w.Holds)
		if len(out.Text) > maxText {
			return Word{Text: out.Text[:77] + "...", Holds: out.Holds}
		}
	}
	return out
}

package trace

// put is the content of a dict with an entry set. A key that is not known leaves nothing known.
func put(content, k, v value) value {
	if content.kind != mapKind {
		return content // unknown, or a copy of the environment: see setCopy
	}
	pairs := content.items()
	for i := 0; i < len(pairs); i += 2 {
		switch equal(pairs[i], k) {
		case yes:
			out := append([]value(nil), pairs...)
			out[i+1] = v
			return mapping(out)
		case undecided:
			if !pairs[i].same(k) && pairs[i].kind != otherKind && k.kind != otherKind {
				return unknown
			}
		}
	}
	return mapping(append(append(make([]value, 0, len(pairs)+2), pairs...), k, v))
}

// lookup is the value under a key of a dict's content: absent if it is certainly not there.
func lookup(content, k value) value {
	if content.kind != mapKind {
		return unknown
	}
	pairs, missing := content.items(), true
	for i := 0; i < len(pairs); i += 2 {
		switch equal(pairs[i], k) {
		case yes:
			return pairs[i+1]
		case undecided:
			missing = false
		}
	}
	if missing {
		return absent
	}
	return unknown
}

// without is the content of a dict with an entry removed.
func without(content, k value) value {
	if content.kind != mapKind {
		return content
	}
	pairs := content.items()
	for i := 0; i < len(pairs); i += 2 {
		switch equal(pairs[i], k) {
		case yes:
			out := append([]value(nil), pairs[:i]...)
			return mapping(append(out, pairs[i+2:]...))
		case undecided:
			return unknown
		}
	}
	return content
}

// merged is the content of a dict with all entries of a mapping added.
func (w *world) merged(content, from value) value {
	entries := from
	if from.kind == dictKind {
		entries = w.content(from.num)
	}
	switch {
	case entries.kind == watchedKind && content.kind == watchedKind:
		return simple(watchedKind, entries.num|content.num, "")
	case entries.kind == watchedKind && content.kind == mapKind:
		return entries // its other entries are of no interest
	case entries.kind != mapKind:
		return unknown
	case content.kind == watchedKind:
		return content // entries that are given by name are looked at where they are put
	}
	pairs := entries.items()
	for i := 0; i < len(pairs); i += 2 {
		content = put(content, pairs[i], pairs[i+1])
	}
	return content
}

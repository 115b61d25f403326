package trace

// escape gives the arguments to code that is not followed: what they hold may be changed there.
func (c *call) escape() {
	for _, list := range [][]value{c.args, c.values} {
		for _, v := range list {
			c.w.escapeValue(v)
			if fn := v.callee(); fn != nil && c.f.a.touches(fn.code) {
				c.f.a.escaped = true
				c.doubted()
			}
		}
	}
}

// escapeValue forgets what a list or dict that others can change holds.
func (w *world) escapeValue(v value) {
	if v.kind == listKind || v.kind == dictKind || v.kind == setKind {
		if content := w.content(v.num); content.kind == tupleKind || content.kind == mapKind {
			w.setContent(v.num, unknown)
		}
	}
}

package dockerfile

import "testing"

// Some builders record an instruction in the case in which it was written.
func TestHistoryInLowerCase(t *testing.T) {
	b := build(t, "from a\nworkdir /data\ncopy x [\"y\", \"./\"]\nuser 5\n", "")
	got, _ := Trace(b, []History{
		{CreatedBy: "/bin/sh -c #(nop) ADD file:00 in / "},
		{CreatedBy: "/bin/sh -c #(nop) workdir /data", Empty: true},
		{CreatedBy: "/bin/sh -c #(nop) COPY multi:00 in ./ "},
		{CreatedBy: "/bin/sh -c #(nop) user 5", Empty: true},
	})
	for i, want := range []int{0, 2, 3, 4} {
		line := 0
		if in := got[i].Instr; in != nil {
			line = in.Span.Start
		}
		if line != want {
			t.Errorf("entry %d: got line %d, want %d", i, line, want)
		}
	}
}

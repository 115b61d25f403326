package image

import "math"

// A Span is the stretch of layers in whose file systems something was: from the
// layer From, before the layer To.
type Span struct {
	From, To int
}

// Span returns when f was in the file system. To is math.MaxInt for a file that no
// layer ended for sure.
func (f *File) Span() Span {
	s := Span{0, math.MaxInt}
	if f.Layer != nil {
		s.From = f.Layer.Index
	}
	if f.Buried() && f.Fate.By != nil {
		s.To = max(f.Fate.By.Index, s.From+1) // a file that its own layer stores again was there in between
	}
	return s
}

// Overlaps reports whether some layer's file system had both.
func (s Span) Overlaps(o Span) bool { return s.From < o.To && o.From < s.To }

// Join returns the shortest span that holds both.
func (s Span) Join(o Span) Span { return Span{min(s.From, o.From), max(s.To, o.To)} }

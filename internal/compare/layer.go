package compare

import (
	"reflect"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Layer is a layer of one side, or of both.
type Layer struct {
	Old, New *image.Layer // nil if that side has none like it
	// Brought are the findings of the new side that the old one had not, and Took those
	// of the old side that are gone, as far as they are in this layer.
	Brought, Took []Change
	// Uncovered are findings that a container sees now, as the old layer hid their files.
	Uncovered []Change
}

// Shared reports whether both sides have the very same layer: the same bytes.
func (l Layer) Shared() bool {
	return l.Old != nil && l.New != nil && l.Old.DiffID == l.New.DiffID && l.New.DiffID != ""
}

// Rebuilt reports whether the same instruction made other bytes.
func (l Layer) Rebuilt() bool { return l.Old != nil && l.New != nil && !l.Shared() }

// Bytes is the size of a layer's regular files, in bytes.
func Bytes(l *image.Layer) int64 {
	var n int64
	for _, f := range l.Files {
		if f.Mode.IsRegular() && !f.HardLink {
			n += max(0, f.Size)
		}
	}
	return n
}

// built reports whether a side is an image with layers of its own.
func built(s Side) bool { return s.Result != nil && !s.Result.Target.Image.Predicted }

// layers holds the layers of two images against one another: those of the old side that
// the new one has not, then those of the new one. A layer is known by its diff ID, and
// one that was built again by the instruction in the history.
func (c *Comparison) layers() {
	if !built(c.Old) || !built(c.New) {
		return
	}
	before, after := c.Old.Result.Target.Image, c.New.Result.Target.Image
	twin := make([]*image.Layer, len(after.Layers)) // of each new layer
	var left []*image.Layer
	for _, l := range before.Layers {
		if !take(twin, after, func(n *image.Layer) bool { return l.DiffID != "" && n.DiffID == l.DiffID }, l) {
			left = append(left, l)
		}
	}
	for _, l := range left {
		by := instruction(before, l)
		if !take(twin, after, func(n *image.Layer) bool { return by != "" && instruction(after, n) == by }, l) {
			c.Layers = append(c.Layers, Layer{Old: l})
		}
	}
	for i, l := range after.Layers {
		c.Layers = append(c.Layers, Layer{Old: twin[i], New: l})
	}
	for i := range c.Layers {
		c.attribute(&c.Layers[i])
	}
}

// take makes an old layer the twin of the first new one that is like it and has none.
func take(twin []*image.Layer, after *image.Image, like func(*image.Layer) bool, l *image.Layer) bool {
	for i, n := range after.Layers {
		if twin[i] == nil && like(n) {
			twin[i] = l
			return true
		}
	}
	return false
}

func instruction(img *image.Image, l *image.Layer) string {
	if l.Step < 0 || l.Step >= len(img.Steps) {
		return ""
	}
	return img.Steps[l.Step].CreatedBy
}

// attribute says what a layer did to the findings.
func (c *Comparison) attribute(l *Layer) {
	if l.New != nil {
		for _, ch := range slices.Concat(c.Brought, c.PerhapsBrought) {
			if in(ch, l.New) {
				l.Brought = append(l.Brought, ch)
			}
		}
	}
	if l.Old == nil || l.Shared() {
		return
	}
	for _, ch := range slices.Concat(c.Fixed, c.PerhapsFixed, c.Turned) {
		switch {
		case in(ch, l.Old):
			l.Took = append(l.Took, ch)
		case ch.Now != "" && hides(l.Old, ch):
			l.Uncovered = append(l.Uncovered, ch)
		}
	}
}

func in(ch Change, l *image.Layer) bool {
	return ch.Finding != nil && slices.ContainsFunc(places(ch.Finding), func(at scan.Location) bool { return at.Layer == l })
}

// hides reports whether a layer kept the file of a finding from the container.
func hides(l *image.Layer, ch Change) bool {
	return ch.Finding != nil && slices.ContainsFunc(places(ch.Finding), func(at scan.Location) bool { return at.File != nil && at.File.Fate.By == l })
}

// identical reports whether two results are of the same image, run in the same way.
func identical(before, after *scan.Result) bool {
	if before == nil || after == nil || before.Target.Image.Predicted || after.Target.Image.Predicted ||
		before.Target.Manifest != nil || after.Target.Manifest != nil {
		return false
	}
	a, b := before.Target.Image, after.Target.Image
	return !a.NoConfig && !b.NoConfig && reflect.DeepEqual(a.Config, b.Config)
}

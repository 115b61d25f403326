package provenance

import (
	"bytes"
	"errors"
	"slices"
)

// lines finds the lines behind each layer. A step made a layer if its result has
// the image's layers up to that one, and its inputs have one less.
func (b *build) lines(layers []string) ([]Lines, error) {
	out := make([]Lines, len(layers))
	if len(b.meta.Layers) == 0 {
		return out, nil
	}
	depths, err := b.depths(layers)
	if err != nil {
		return nil, err
	}
	of, err := b.locations()
	if err != nil {
		return nil, err
	}
	doubtful := make([]bool, len(layers))
	for _, s := range b.graph.Steps {
		layer := b.made(s.ID, s.Inputs, depths)
		at, known := of[s.ID]
		switch {
		case layer < 0:
		case !known || out[layer] != Lines{} && out[layer] != at:
			doubtful[layer] = true
		default:
			out[layer] = at
		}
	}
	for i := range out {
		if doubtful[i] {
			out[i] = Lines{}
		}
	}
	return out, nil
}

// depths returns how many of the image's layers, from the first, results have.
// Those of other stages have others.
func (b *build) depths(layers []string) (map[string]int, error) {
	depths := map[string]int{}
	for result, chains := range b.meta.Layers {
		for _, chain := range chains {
			n := 0
			for n < len(chain) && n < len(layers) && chain[n].Digest == layers[n] {
				n++
			}
			if n > 0 && n == len(chain) {
				depths[result] = max(depths[result], n)
			}
		}
	}
	if len(depths) == 0 {
		return nil, errors.New("the layers that it names are not the image's")
	}
	return depths, nil
}

// made is the index of the layer that a step made; -1 if it made none, or it is
// not known that it did. A step without inputs is an image, whose layers others
// made.
func (b *build) made(id string, inputs []string, depths map[string]int) int {
	depth := depths[id+":0"]
	if depth == 0 || len(inputs) == 0 {
		return -1
	}
	before := 0
	for _, in := range inputs {
		before = max(before, depths[in])
	}
	if before != depth-1 {
		return -1
	}
	return depth - 1
}

// locations returns the lines of the Dockerfile for steps that have one place
// there. It fails if a place is not in the file.
func (b *build) locations() (map[string]Lines, error) {
	total := bytes.Count(b.meta.Source.Infos[0].Data, []byte("\n")) + 1
	out := map[string]Lines{}
	for step, ls := range b.meta.Source.Locations {
		var places []Lines
		for _, l := range ls.Locations {
			at, ok := l.lines(total)
			if !ok {
				return nil, errors.New("it names lines that its Dockerfile does not have")
			}
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		if len(places) == 1 && places[0] != (Lines{}) {
			out[step] = places[0]
		}
	}
	return out, nil
}

// lines returns the lines from the first to the last of an instruction, of which
// each has a range of its own; zero if they are of another file. They must be in
// a file of that many lines.
func (l *location) lines(total int) (at Lines, ok bool) {
	for _, r := range l.Ranges {
		first, last := r.Start.Line, r.End.Line
		if l.SourceIndex != 0 {
			continue
		}
		if first < 1 || last < first || last > total {
			return Lines{}, false
		}
		if at.First == 0 || first < at.First {
			at.First = first
		}
		at.Last = max(at.Last, last)
	}
	return at, true
}

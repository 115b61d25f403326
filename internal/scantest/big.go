package scantest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Big is a deterministic image of about size uncompressed bytes in six layers,
// shaped like real ones: most files are small text, half of the bytes are in a
// few large binaries, some files are replaced or deleted by later layers. Its
// content compresses about as well as that of real images do, to a third.
func Big(size int64) (*Image, error) {
	g := &generator{rnd: rand.New(rand.NewPCG(1, 2))}
	g.words = make([][]byte, 4096)
	for i := range g.words {
		w := make([]byte, 2+g.rnd.IntN(9))
		for j := range w {
			w[j] = 'a' + byte(g.rnd.IntN(26))
		}
		g.words[i] = append(w, " \n"[g.rnd.IntN(8)/7])
	}
	var layers [][]byte
	for n := range 6 {
		l, err := g.layer(n, size/6)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	return NewImage(map[string]any{"config": map[string]any{"User": "1000:1000"}}, layers...)
}

type generator struct {
	rnd   *rand.Rand
	words [][]byte
}

func (g *generator) layer(n int, size int64) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; int64(b.Len()) < size; i++ {
		name, body := g.file(n, i, int64(b.Len()) < size/2)
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(body))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// file makes text of a few KiB, or a binary of a few MiB.
func (g *generator) file(layer, i int, small bool) (name string, body []byte) {
	if !small {
		return fmt.Sprintf("usr/lib/lib%d-%d.so", layer, i), g.binary(1<<20 + g.rnd.IntN(8<<20))
	}
	dir := fmt.Sprintf("usr/lib/python3/dist-packages/pkg%d", i/40)
	switch {
	case i%200 == 0 && layer > 0:
		return dir + fmt.Sprintf("/.wh.mod%d.py", i+1), nil
	case i%3 == 0:
		return dir + fmt.Sprintf("/mod%d.py", i), g.text(500 + g.rnd.IntN(12000))
	}
	return fmt.Sprintf("usr/share/doc/pkg%d/file%d-%d", i/40, layer, i), g.text(200 + g.rnd.IntN(8000))
}

func (g *generator) text(n int) []byte {
	out := make([]byte, 0, n+16)
	for len(out) < n {
		out = append(out, g.words[g.rnd.IntN(len(g.words))]...)
	}
	return out
}

func (g *generator) binary(n int) []byte {
	out := make([]byte, n)
	for i := 0; i < n; i += 64 {
		chunk := out[i:min(i+64, n)]
		if g.rnd.IntN(3) == 0 {
			continue // zeros
		}
		v := g.rnd.Uint64()
		for j := range chunk {
			chunk[j] = byte(v >> (j % 8 * 8))
			if j%8 == 7 && g.rnd.IntN(2) == 0 {
				v = g.rnd.Uint64()
			}
		}
	}
	return out
}

package scantest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math/rand/v2"
	"path"
)

// A Shape is what a large image is made of.
type Shape struct {
	Bytes  int64 // uncompressed, about
	Layers int
	// Small is the percentage of the bytes that is in text files of a few KiB, 40 to
	// a directory; all else is in binaries of a few MiB.
	Small int64
}

// Big is a deterministic image of about size uncompressed bytes, shaped like real
// ones: six layers, some 50 entries per megabyte, most of them small text, most
// bytes in a few large binaries, some files replaced or deleted by later layers. Its
// content compresses about as well as that of real images do, to a third.
func Big(size int64) (*Image, error) { return Shape{Bytes: size, Layers: 6, Small: 20}.Image() }

// Image makes the image, always the same one.
func (s Shape) Image() (*Image, error) {
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
	for n := range s.Layers {
		l, err := g.layer(n, s.Bytes/int64(s.Layers), s.Small)
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

func (g *generator) layer(n int, size, small int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(size) + 16<<20)
	w := tar.NewWriter(&b)
	for i := 0; int64(b.Len()) < size; i++ {
		name, body := g.file(n, i, int64(b.Len()) < size*small/100)
		if i%perDir == 0 {
			if err := w.WriteHeader(&tar.Header{Name: path.Dir(name) + "/", Typeflag: tar.TypeDir, Mode: 0o755}); err != nil {
				return nil, err
			}
		}
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
	pkg := i / perDir
	if pkg%3 > 0 {
		return fmt.Sprintf("usr/share/doc/pkg%d/file%d-%d", pkg, layer, i), g.text(200 + g.rnd.IntN(8000))
	}
	dir := fmt.Sprintf("usr/lib/python3/dist-packages/pkg%d", pkg)
	if i%perDir == 0 && layer > 0 {
		return fmt.Sprintf("%s/.wh.mod%d.py", dir, i+1), nil
	}
	return fmt.Sprintf("%s/mod%d.py", dir, i), g.text(500 + g.rnd.IntN(12000))
}

// perDir is how many files a directory has.
const perDir = 40

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

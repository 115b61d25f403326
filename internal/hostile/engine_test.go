package hostile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// engine is the tree of the image in an archive as an engine sees it: the last of
// several members of a name counts, links are followed.
func engine(archive []byte) (string, error) {
	members := map[string]*tar.Header{}
	bodies := map[string][]byte{}
	for tr := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		name := path.Clean(h.Name)
		members[name] = h
		if bodies[name], err = io.ReadAll(tr); err != nil {
			return "", err
		}
	}
	find := func(name string) ([]byte, error) {
		for range 10 {
			name = path.Clean(name)
			switch h := members[name]; {
			case h == nil:
				return nil, fmt.Errorf("%s is not there", name)
			case h.Typeflag == tar.TypeReg:
				return bodies[name], nil
			case h.Typeflag == tar.TypeSymlink:
				name = path.Join(path.Dir(name), h.Linkname)
			case h.Typeflag == tar.TypeLink:
				name = h.Linkname
			default:
				return nil, fmt.Errorf("%s is no file", name)
			}
		}
		return nil, fmt.Errorf("%s is a loop", name)
	}
	list, err := find("manifest.json")
	if err != nil {
		return "", err
	}
	var images []struct{ Layers []string }
	if err := json.Unmarshal(list, &images); err != nil {
		return "", err
	}
	tree := map[string]string{}
	for _, name := range images[0].Layers {
		b, err := find(name)
		if err != nil {
			return "", err
		}
		if err := unpack(b, tree); err != nil {
			return "", err
		}
	}
	var lines []string
	for name, body := range tree {
		lines = append(lines, name+"="+body)
	}
	return strings.Join(slices.Sorted(slices.Values(lines)), " "), nil
}

// unpack adds the files of a layer to a tree.
func unpack(b []byte, tree map[string]string) error {
	r := io.Reader(bytes.NewReader(b))
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		r = z
	case bytes.HasPrefix(b, []byte{0x28, 0xb5}):
		z, err := zstd.NewReader(r)
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := io.ReadAll(tr)
		if err != nil {
			return err
		}
		tree["/"+h.Name] = string(body)
	}
}

package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// isLayout reports whether dir is an OCI layout.
func isLayout(dir string) bool {
	return exists(filepath.Join(dir, layoutFile)) || exists(filepath.Join(dir, indexFile))
}

// layout opens an OCI layout in a directory.
func (op *opener) layout(ctx context.Context, target, dir, pick string) (*Opened, error) {
	if !isLayout(dir) {
		return nil, hint(errors.New("the directory is no OCI layout: it has neither oci-layout nor index.json"), "for a directory with an image's files, use --from rootfs")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := directory{root}
	srcs, err := op.layoutSources(ctx, target, pick, s)
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Opened{Sources: srcs, files: []io.Closer{root}}, nil
}

func (op *opener) layoutSources(ctx context.Context, target, pick string, s store) ([]*image.Source, error) {
	r := op.resolver(target, "oci-layout", storeBlobs{s})
	leaves, problems, err := r.layoutLeaves(ctx, s)
	if err != nil {
		return nil, err
	}
	srcs, err := r.sources(ctx, leaves, pick)
	addProblems(srcs, problems)
	return srcs, err
}

// addProblems adds what concerns the archive or layout as a whole.
func addProblems(srcs []*image.Source, ps []image.Problem) {
	for _, src := range srcs {
		src.Problems = append(ps[:len(ps):len(ps)], src.Problems...)
	}
}

// A directory is a store of regular files; symbolic links are not followed.
type directory struct {
	root *os.Root
}

func (d directory) has(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

func (d directory) open(name string) (*os.File, error) {
	info, err := d.root.Lstat(name) // opening a pipe would wait for its writer
	if err != nil {
		return nil, plain(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, plain(err)
	}
	return f, nil
}

// plain drops the system call from an error of the file system.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

func (d directory) read(name string, max size) ([]byte, error) {
	f, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, max)
}

// readAll reads r to its end, which must come within max.
func readAll(r io.Reader, max size) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, max.bytes+1))
	if err == nil && int64(len(b)) > max.bytes {
		err = max.error()
	}
	return b, err
}

func (d directory) layer(name string) (image.Blob, error) {
	f, err := d.open(name)
	if err != nil {
		return image.Blob{}, err
	}
	f.Close()
	return image.Blob{Name: name, Size: -1, Open: func(context.Context) (io.ReadCloser, error) {
		f, err := d.open(name)
		if err != nil {
			return nil, err
		}
		return wholeFile{f}, nil
	}}, nil
}

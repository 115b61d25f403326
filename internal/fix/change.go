package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Change is a file before and after.
type Change struct {
	Path   string
	Before []byte // nil if there was no file
	After  []byte
}

// ErrChanged says that a file is not what was read before.
var ErrChanged = errors.New("it has changed since it was read; nothing was written")

// Check reports whether the file is still what it was: ErrChanged if it is not.
func (c Change) Check() error {
	now, err := os.ReadFile(c.Path)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("reading %s again: %w", c.Path, err)
	case !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil):
		return fmt.Errorf("writing %s: %w", c.Path, ErrChanged)
	}
	return nil
}

// Write replaces the file, if it is still what it was. The file keeps its mode, a link
// stays a link, and nobody reads half of it.
func (c Change) Write() error {
	if err := c.Check(); err != nil {
		return err
	}
	file, mode := c.Path, fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("writing %s: %w", c.Path, err)
		}
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, err)
	}
	_, err = tmp.Write(c.After)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", c.Path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

package starter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// An ExistError says which files are there already.
type ExistError struct {
	Names []string // relative to the directory that was to be written
}

func (e *ExistError) Error() string {
	return strings.Join(e.Names, ", ") + ": there already"
}

// Write writes files below a directory, which it makes if there is none. It writes
// nothing and returns an *ExistError if one of them is there, unless it may replace
// them. It follows no symbolic link out of the directory.
func Write(dir string, files []File, replace bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening the directory: %w", err)
	}
	defer root.Close()
	there, err := existing(root, files)
	switch {
	case err != nil:
		return err
	case len(there) > 0 && !replace:
		return &ExistError{there}
	}
	for _, f := range files {
		if err := write(root, f, replace); err != nil {
			return fmt.Errorf("writing %s: %w", f.Name, err)
		}
	}
	return nil
}

// existing returns the files that are there, or why one can't be.
func existing(root *os.Root, files []File) ([]string, error) {
	var there []string
	for _, f := range files {
		switch _, err := root.Lstat(f.Name); {
		case err == nil:
			there = append(there, f.Name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("looking for %s: %w", f.Name, err)
		}
	}
	return there, nil
}

// write makes a new file, so that none is overwritten that has come since, or one that
// a link leads to.
func write(root *os.Root, f File, replace bool) error {
	if err := root.MkdirAll(path.Dir(f.Name), 0o777); err != nil {
		return err
	}
	if replace {
		if err := root.Remove(f.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	w, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = w.WriteString(f.Body)
	return errors.Join(err, w.Close())
}

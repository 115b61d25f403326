package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Search looks for the file upwards from folders.
type Search struct {
	// Root reports whether a folder is where a repository starts: the search ends there.
	Root func(dir string) bool
	// Shared are files that were found and left out, as everyone may put files into
	// their folder.
	Shared []string
}

// Find returns the path of the first file in dir and the folders above it, up to the
// root of the repository; empty if there is none.
func (s *Search) Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", Name, err)
	}
	for {
		file := filepath.Join(dir, Name)
		info, err := os.Lstat(file)
		switch {
		case err == nil && !info.IsDir() && shared(dir):
			s.Shared = append(s.Shared, file)
		case err == nil && !info.IsDir():
			return file, regular(file)
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return "", fmt.Errorf("looking for %s: %w", Name, err)
		}
		up := filepath.Dir(dir)
		if up == dir || s.Root(dir) {
			return "", nil
		}
		dir = up
	}
}

// regular is an error for what would be waited for, such as a pipe: a configuration that
// nobody named is a file.
func regular(file string) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("reading the configuration %s: it is no regular file", file)
	}
	return nil
}

// shared reports whether a folder is one for everyone, as /tmp is. That everyone may
// write to it is not enough: some CI systems check out all folders so.
func shared(dir string) bool {
	info, err := os.Stat(dir)
	return err != nil || info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSticky != 0
}

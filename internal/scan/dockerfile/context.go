package dockerfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A Context is a build context: what COPY and ADD can take from a directory,
// after its ignore file.
type Context struct {
	Files  []ContextFile // in the order of a walk; directories before what they hold
	Ignore string        // name of the ignore file that was used; empty if there is none

	root            *os.Root
	dir, dockerfile string // as they were given
}

// A ContextFile is a file, directory or symbolic link of a context. Its owner
// does not count: builders take root instead.
type ContextFile struct {
	Path string // relative to the context, with slashes
	Mode fs.FileMode
	Size int64  // bytes; 0 unless it is a regular file
	Link string // target of a symbolic link
}

// OpenContext lists the files below dir that are not ignored by
// "<dockerfile>.dockerignore" or, without one, by dir/.dockerignore. dockerfile is
// a path on this machine and may lie outside dir; it may be empty. Symbolic links
// are listed and not followed, so nothing outside dir is read. A context over a
// limit is an error. The Context must be closed.
func OpenContext(dir, dockerfile string, lim limits.Limits) (*Context, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the build context: %w", err)
	}
	c := &Context{root: root, dir: dir, dockerfile: dockerfile}
	ignored, err := c.ignored(dockerfile, lim)
	if err == nil {
		err = c.list(ignored, lim)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("reading the build context %s: %w", dir, err)
	}
	return c, nil
}

// Close releases the directory. Files can't be opened afterwards.
func (c *Context) Close() error { return c.root.Close() }

// Open opens a regular file of the context.
func (c *Context) Open(name string) (io.ReadCloser, error) {
	f, err := c.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("opening %s of the build context: %w", name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file any more")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("opening %s of the build context: %w", name, err)
	}
	return f, nil
}

// ignored reads the ignore file. The one beside the Dockerfile replaces the
// context's (buildkit, dockerui, DockerIgnorePatterns).
func (c *Context) ignored(dockerfile string, lim limits.Limits) (*patternmatcher.PatternMatcher, error) {
	var f io.ReadCloser
	err := fs.ErrNotExist
	if dockerfile != "" {
		c.Ignore = filepath.Base(dockerfile) + ".dockerignore"
		f, err = openRegular(os.Lstat, os.Open, dockerfile+".dockerignore")
	}
	if errors.Is(err, fs.ErrNotExist) {
		c.Ignore = ".dockerignore"
		f, err = openRegular(c.root.Lstat, c.root.Open, ".dockerignore")
	}
	if errors.Is(err, fs.ErrNotExist) {
		c.Ignore = ""
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, lim.DockerfileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.Ignore, err)
	}
	if int64(len(b)) > lim.DockerfileBytes {
		return nil, fmt.Errorf("%s is over %d bytes", c.Ignore, lim.DockerfileBytes)
	}
	patterns, err := ignorefile.ReadAll(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.Ignore, err)
	}
	m, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.Ignore, err)
	}
	return m, nil
}

func openRegular(lstat func(string) (os.FileInfo, error), open func(string) (*os.File, error), name string) (io.ReadCloser, error) {
	info, err := lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(name))
	}
	return open(name)
}

// list walks the context. A directory that is ignored is only entered if a later
// pattern may take something below it back in.
func (c *Context) list(ignored *patternmatcher.PatternMatcher, lim limits.Limits) error {
	results := map[string]patternmatcher.MatchInfo{}
	var size int64
	return fs.WalkDir(c.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == "." {
			return nil
		}
		if len(results) >= lim.ContextFiles {
			return fmt.Errorf("it has over %d files; keep what is not needed out with .dockerignore", lim.ContextFiles)
		}
		if ignored != nil {
			skip, info, err := ignored.MatchesUsingParentResults(name, results[path.Dir(name)])
			switch {
			case err != nil:
				return err
			case skip && d.IsDir() && !ignored.Exclusions():
				return fs.SkipDir
			}
			results[name] = info
			if skip {
				return nil
			}
		} else {
			results[name] = patternmatcher.MatchInfo{}
		}
		f, ok := c.file(name, d)
		if !ok {
			return nil
		}
		if size += f.Size; size > lim.ContextBytes {
			return fmt.Errorf("it holds over %d bytes; keep what is not needed out with .dockerignore", lim.ContextBytes)
		}
		c.Files = append(c.Files, f)
		return nil
	})
}

func (c *Context) file(name string, d fs.DirEntry) (f ContextFile, ok bool) {
	info, err := d.Info()
	if err != nil { // removed meanwhile
		return f, false
	}
	f = ContextFile{Path: name, Mode: info.Mode()}
	switch {
	case info.Mode().IsRegular():
		f.Size = info.Size()
	case info.Mode()&fs.ModeSymlink != 0:
		if f.Link, err = c.root.Readlink(filepath.FromSlash(name)); err != nil {
			return f, false
		}
	case !info.IsDir():
		return f, false
	}
	return f, true
}

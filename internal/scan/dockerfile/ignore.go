package dockerfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/patternmatcher"
)

// An IgnoreEnd is where entries can be added to an ignore file. The zero IgnoreEnd
// stands for none.
type IgnoreEnd struct {
	Path string // of the file, which need not exist
	At   Pos    // its end; not at the start of a line if the last line does not end
}

// IgnoreEnd returns the end of the context's ignore file. Its path starts with the
// directory that the context was opened with.
func (c *Context) IgnoreEnd() (IgnoreEnd, error) {
	end := IgnoreEnd{filepath.Join(c.dir, ".dockerignore"), Pos{1, 1}}
	if c.Ignore != "" && c.Ignore != ".dockerignore" {
		end.Path = c.dockerfile + ".dockerignore"
	}
	b, err := os.ReadFile(end.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return end, nil
	}
	if err != nil {
		return IgnoreEnd{}, fmt.Errorf("reading %s: %w", c.Ignore, err)
	}
	lines := strings.Split(string(bytes.TrimPrefix(b, bom)), "\n")
	end.At = Pos{len(lines), 1 + units(lines[len(lines)-1])}
	return end, nil
}

// Exclude takes the files out of the context that entries would keep out of it, were
// they at the end of its ignore file.
func (c *Context) Exclude(entries []string) error {
	m, err := patternmatcher.New(entries)
	if err != nil {
		return fmt.Errorf("reading ignore entries: %w", err)
	}
	var failed error
	c.Files = slices.DeleteFunc(c.Files, func(f ContextFile) bool {
		out, err := m.MatchesOrParentMatches(f.Path)
		failed = errors.Join(failed, err)
		return out
	})
	return failed
}

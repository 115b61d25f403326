// Package shell reads shell scripts and works out what their words become, as
// far as that can be known without running anything. It touches neither the
// host's files nor its users, and its cost is bounded by the script's size.
package shell

import (
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// MaxBytes is the size over which a script is not read: no well-known entrypoint
// comes near it.
const MaxBytes = 256 << 10

var errNested = errors.New("commands are nested too deeply to be read")

// Parse reads a script as Bash and, where that fails, as POSIX sh. Scripts that
// are too large or nested too deeply are errors.
func Parse(text string) (*syntax.File, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("parsing the script: it is over %d bytes", MaxBytes)
	}
	f, err := parse(text, syntax.LangBash)
	if err == nil || errors.Is(err, errNested) {
		return f, err
	}
	if f, posixErr := parse(text, syntax.LangPOSIX); posixErr == nil {
		return f, nil
	}
	return nil, err
}

func parse(text string, lang syntax.LangVariant) (*syntax.File, error) {
	r := &shallowReader{r: strings.NewReader(text)}
	f, err := syntax.NewParser(syntax.Variant(lang)).Parse(r, "")
	if r.deep {
		return nil, fmt.Errorf("parsing the script: %w", errNested)
	}
	if err != nil {
		return nil, fmt.Errorf("parsing the script: %s is not shell syntax", position(err))
	}
	return f, nil
}

// position says where the parser stopped. What it says besides could quote a
// secret.
func position(err error) string {
	var at syntax.Pos
	var syn syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &syn):
		at = syn.Pos
	case errors.As(err, &lang):
		at = lang.Pos
	}
	return fmt.Sprintf("line %d, column %d", at.Line(), at.Col())
}

// A shallowReader ends the text when the parser that reads it is deep in
// recursion: a stack that overflows can't be recovered from.
type shallowReader struct {
	r    io.Reader
	deep bool
}

const (
	maxFrames = 4000
	chunk     = 512 // bytes read between two looks at the stack
)

func (s *shallowReader) Read(b []byte) (int, error) {
	var pc [1]uintptr
	if s.deep = s.deep || runtime.Callers(maxFrames, pc[:]) > 0; s.deep {
		return 0, errNested
	}
	return s.r.Read(b[:min(len(b), chunk)])
}

// Is reports whether the program at p, by its name, is a shell that Parse reads.
func Is(p string) bool {
	switch path.Base(p) {
	case "sh", "bash", "dash", "ash", "rbash":
		return true
	}
	return false
}

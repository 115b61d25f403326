package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
)

// isDockerfile tells a Dockerfile from an image: by the manifest that names it, by
// --from, by its name, and on standard input by its first bytes.
func (a *audit) isDockerfile(target string, stdin *bufio.Reader) bool {
	switch {
	case a.built[target]:
		return true
	case a.from != "":
		return a.from == "dockerfile"
	case target == "-":
		head, _ := stdin.Peek(source.HeadBytes) // a shorter stream has a shorter head
		return len(head) > 0 && source.Looks(head) == source.Text
	}
	named := dockerfile.IsDockerfile(filepath.Base(target))
	info, err := os.Stat(target)
	if err != nil {
		return named && target != strings.ToLower(target) // the name of no image
	}
	if named || !info.Mode().IsRegular() || info.Size() == 0 {
		return named && !info.IsDir()
	}
	f, err := os.Open(target)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, source.HeadBytes)
	n, _ := io.ReadFull(f, head) // a shorter file has a shorter head
	return source.Looks(head[:n]) == source.Text
}

// orNoDockerfile says of a target that only its text told why it was read as a
// Dockerfile.
func (a *audit) orNoDockerfile(err error, target string) error {
	if a.from != "" || target != "-" && dockerfile.IsDockerfile(filepath.Base(target)) || hintOf(err) != "" {
		return err
	}
	return &hinted{err, "it was taken for a Dockerfile because it is text; --from says what it is; for a list of targets: xargs sandbox-audit < FILE"}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// lines reads the Dockerfile of --dockerfile, which only serves to place findings.
func (a *audit) lines() (*dockerfile.Build, error) {
	if a.dockerfile == "" {
		return nil, nil
	}
	return a.evaluateFile(a.dockerfile, a.options.target, a.buildArgs())
}

func (a *audit) evaluateFile(path, stage string, args map[string]string) (*dockerfile.Build, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("reading %s: it is a directory", path)
	case !info.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/"): // a pipe would wait for its writer
		return nil, &hinted{fmt.Errorf("reading %s: it is no regular file", path), "send what it gives on standard input: sandbox-audit - < FILE"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	defer f.Close()
	return a.evaluate(path, f, stage, args)
}

func (a *audit) evaluate(path string, r io.Reader, stage string, args map[string]string) (*dockerfile.Build, error) {
	text, err := io.ReadAll(io.LimitReader(r, a.limits.DockerfileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	f, err := dockerfile.Parse(path, text, a.limits)
	if err != nil {
		return nil, err
	}
	a.texts[path] = text
	b, err := f.Build(stage, args)
	if err != nil {
		return nil, &usageError{err}
	}
	return b, nil
}

// usageError is an error in how the command was used, not in what it reads.
type usageError struct{ error }

func (u *usageError) Unwrap() error { return u.error }

// dockerfiles are the texts of the Dockerfiles read, by path as the user gave it.
type dockerfiles map[string][]byte

// snippets quotes lines first to last of a file, 1-based and inclusive. It takes each
// text apart once.
func (d dockerfiles) snippets() func(path string, first, last int) []string {
	known := map[string][]string{}
	return func(path string, first, last int) []string {
		lines, ok := known[path]
		if !ok {
			lines = slices.Collect(strings.Lines(string(d[path])))
			known[path] = lines
		}
		var out []string
		for n := max(1, first); n <= min(last, len(lines)); n++ {
			out = append(out, strings.TrimRight(lines[n-1], "\r\n"))
		}
		return out
	}
}

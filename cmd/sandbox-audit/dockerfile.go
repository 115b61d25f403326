package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// isDockerfile tells a Dockerfile from an image: by --from, by its name, and on
// standard input by its first bytes.
func (a *audit) isDockerfile(target string, stdin *bufio.Reader) bool {
	switch {
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

// dockerfileTarget audits a Dockerfile as the image it would make.
func (a *audit) dockerfileTarget(ctx context.Context, target string, stdin io.Reader) error {
	var b *dockerfile.Build
	var err error
	if target == "-" {
		b, err = a.evaluate("Dockerfile", stdin)
	} else {
		b, err = a.evaluateFile(target)
	}
	if err != nil {
		return a.orNoDockerfile(err, target)
	}
	files, why, err := a.openContext(target)
	if err != nil {
		return err
	}
	if files != nil {
		defer files.Close()
	}
	scanner := image.NewScanner(scan.Probes(rules.All()), a.limits)
	img, err := scan.Predict(ctx, scanner, b, files, why)
	if err != nil {
		return fmt.Errorf("reading the build context of %s: %w", target, err)
	}
	a.judge(scan.Target{Name: target, Kind: "dockerfile", Image: img, Build: b})
	return nil
}

// orNoDockerfile says of a target that only its text told why it was read as a
// Dockerfile.
func (a *audit) orNoDockerfile(err error, target string) error {
	if a.from != "" || target != "-" && dockerfile.IsDockerfile(filepath.Base(target)) || hintOf(err) != "" {
		return err
	}
	return &hinted{err, "it was taken for a Dockerfile because it is text; --from says what it is"}
}

// openContext opens the build context: --context, or the Dockerfile's folder
// where that is plainly meant as one. Without one it says why.
func (a *audit) openContext(target string) (files *dockerfile.Context, why string, err error) {
	dir := a.context
	switch {
	case dir == "-":
		return nil, "--context - leaves the build context out", nil
	case dir != "":
	case target == "-":
		return nil, "a Dockerfile on standard input has no build context; name it with --context", nil
	default:
		dir = filepath.Dir(target)
		if repository(dir) == "" && !isFile(filepath.Join(dir, ".dockerignore")) && !isFile(target+".dockerignore") {
			return nil, "its folder is in no repository and has no .dockerignore, so it may not be the build context; name it with --context", nil
		}
	}
	files, err = dockerfile.OpenContext(dir, target, a.limits)
	return files, "", err
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
	return a.evaluateFile(a.dockerfile)
}

func (a *audit) evaluateFile(path string) (*dockerfile.Build, error) {
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
	return a.evaluate(path, f)
}

func (a *audit) evaluate(path string, r io.Reader) (*dockerfile.Build, error) {
	text, err := io.ReadAll(io.LimitReader(r, a.limits.DockerfileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	f, err := dockerfile.Parse(path, text, a.limits)
	if err != nil {
		return nil, err
	}
	a.texts[path] = text
	b, err := f.Build(a.options.target, a.args)
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

// snippet returns lines first to last of a Dockerfile, 1-based and inclusive.
func (d dockerfiles) snippet(path string, first, last int) []string {
	var out []string
	n := 0
	for line := range bytes.Lines(d[path]) {
		if n++; n >= first && n <= last {
			out = append(out, strings.TrimRight(string(line), "\r\n"))
		}
	}
	return out
}

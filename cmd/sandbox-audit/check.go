package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// parseBuildArgs reads every --build-arg. As for a build, a name alone takes its
// value from the environment, and is not given if that has none.
func (o *options) parseBuildArgs(getenv func(string) string) (map[string]string, error) {
	args := map[string]string{}
	for _, arg := range o.buildArgs {
		name, value, given := strings.Cut(arg, "=")
		if name == "" {
			return nil, fmt.Errorf("--build-arg %s has no name", arg)
		}
		if !given {
			value = getenv(name)
		}
		if given || value != "" {
			args[name] = value
		}
	}
	return args, nil
}

// checkPlaces says early what would only fail after the audit: outputs that can't
// be written, and a context or platform that is none.
func (a *audit) checkPlaces() error {
	if a.context != "" && a.context != "-" && !isDir(a.context) {
		return fmt.Errorf("--context %s: no such directory", a.context)
	}
	if parts := strings.Split(a.platform, "/"); a.platform != "" && (len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "")) {
		return &hinted{fmt.Errorf("--platform %s is no platform", a.platform), "write it as linux/amd64 or linux/arm/v7"}
	}
	for i, o := range a.outputs {
		if err := o.check(a.outputs[:i]); err != nil {
			return err
		}
	}
	return nil
}

// check reports why an output could not be written, or would overwrite one of the
// others.
func (o output) check(others []output) error {
	if o.file == "" {
		return nil
	}
	info, err := os.Stat(o.file)
	switch dir := filepath.Dir(o.file); {
	case err == nil && info.IsDir():
		return fmt.Errorf("-o %s=%s: it is a directory", o.format, o.file)
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or pipe takes what comes
	case !isDir(dir):
		return fmt.Errorf("-o %s=%s: there is no directory %s", o.format, o.file, dir)
	}
	for _, other := range others {
		if other.file != "" && filepath.Clean(other.file) == filepath.Clean(o.file) {
			return fmt.Errorf("-o %s=%s: -o %s goes there already", o.format, o.file, other.format)
		}
	}
	return nil
}

// checkTargets reports what can't be audited, and what an output would destroy.
func (a *audit) checkTargets(targets []string) error {
	if slices.Contains(targets, "") {
		return &hinted{errors.New("a target is empty"), "is a variable of the script not set?"}
	}
	if slices.Contains(targets, "-") && isTerminal(a.proc.stdin) {
		return &hinted{errors.New("standard input is a terminal"), "send it an archive or a Dockerfile: docker save agent:dev | sandbox-audit -"}
	}
	for _, o := range a.outputs {
		out, err := os.Stat(o.file)
		if err != nil || !out.Mode().IsRegular() {
			continue
		}
		for _, input := range append([]string{a.dockerfile}, targets...) {
			if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
				return fmt.Errorf("-o %s=%s: it would overwrite %s, which is to be read", o.format, o.file, input)
			}
		}
	}
	return nil
}

// orCommand hints at the command that a target may have been meant as.
func orCommand(err error, target string) error {
	commands := []string{"rules", "explain", "init", "version", "completion", "help"}
	if near := suggest.Nearest(target, commands); near != "" && hintOf(err) == "" {
		return &hinted{err, fmt.Sprintf("did you mean the command %s?", near)}
	}
	return err
}

// sayUnused tells of flags that can't have changed anything.
func (a *audit) sayUnused() {
	if a.quiet || len(a.texts) > 0 || len(a.failed) > 0 {
		return
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"target", a.options.target != ""}, {"build-arg", len(a.args) > 0}, {"context", a.context != ""}, {"base-image", len(a.bases) > 0}} {
		if flag.given {
			complain(a.proc.stderr, fmt.Errorf("--%s was not used: no Dockerfile was read", flag.name))
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

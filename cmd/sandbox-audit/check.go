package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// parseBuildArgs reads every --build-arg. As for a build, a name alone takes its
// value from the environment, and is not given if that has none.
func (o *options) parseBuildArgs(getenv func(string) string) (map[string]string, error) {
	args := map[string]string{}
	for _, arg := range o.buildArgs {
		name, value, given := strings.Cut(arg, "=")
		if name == "" {
			return nil, &hinted{errors.New("a --build-arg has no name"), "write it as NAME=VALUE"}
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

// whenToColour is what --color takes.
var whenToColour = []string{"auto", "always", "never"}

func (o *options) checkColor() error {
	if !slices.Contains(whenToColour, o.color) {
		return didYouMean(fmt.Errorf("--color %s is not known", o.color), o.color, whenToColour)
	}
	return nil
}

// checkLists reports a list that was given and names nothing: what it was to ask for would
// not be asked.
func checkLists(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(flag *pflag.Flag) {
		if list, ok := flag.Value.(pflag.SliceValue); ok && len(list.GetSlice()) == 0 {
			err = &hinted{fmt.Errorf("--%s names nothing", flag.Name), "is a variable of the script not set?"}
		}
	})
	return err
}

// checkNames reports names that nothing can have, by which what was meant would not be
// looked for. Blanks around a name are left out: "curl, gcc".
func (o *options) checkNames() error {
	for _, list := range [][]string{o.require, o.sessionVars, o.firstParty, o.forbid} {
		for i, name := range list {
			list[i] = strings.TrimSpace(name)
		}
	}
	switch {
	case slices.ContainsFunc(o.forbid, func(name string) bool { return name == "" || strings.Contains(name, "/") }):
		return &hinted{errors.New("--forbid takes the names of programs, without a directory"), "such as --forbid curl,gcc,nc"}
	case slices.ContainsFunc(o.sessionVars, func(name string) bool { return name == "" || strings.ContainsAny(name, "= \t$") }):
		return &hinted{errors.New("--session-var takes the names of variables"), "such as --session-var JOB_TOKEN,JOB_ID"}
	case slices.ContainsFunc(o.firstParty, func(dir string) bool { return !path.IsAbs(dir) || path.Clean(dir) == "/" }):
		return &hinted{errors.New("--first-party takes directories of the image, from its root on"), "such as --first-party /opt/agent"}
	}
	return nil
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
		if other.file != "" && followed(other.file) == followed(o.file) {
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
		if input := a.overwritten(o.file, targets); input != "" {
			return fmt.Errorf("-o %s=%s: it would overwrite %s, which is to be read", o.format, o.file, input)
		}
	}
	return nil
}

// overwritten is what is to be read and would be overwritten by writing a file; empty if
// nothing would.
func (a *audit) overwritten(file string, targets []string) string {
	out, err := os.Stat(file)
	if err != nil || !out.Mode().IsRegular() {
		return ""
	}
	inputs := append([]string{a.dockerfile, a.config, a.baseline}, targets...)
	for _, b := range a.bases {
		inputs = append(inputs, b.target)
	}
	for _, input := range inputs {
		archive, _, _ := strings.Cut(input, "@")
		for _, name := range []string{input, archive} {
			if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
				return name
			}
		}
	}
	return ""
}

// orMeant hints at what a target that is not there may have been meant as: a file of
// nearly that name, or a command.
func (a *audit) orMeant(err error, target string) error {
	if slices.Contains([]string{"audit", "scan", "check", "lint", "image", "fs"}, target) {
		return &hinted{err, "an audit needs no command: sandbox-audit TARGET"}
	}
	near := nearFile(target)
	if name := suggest.Nearest(target, a.commands); near == "" && name != "" {
		return &hinted{err, fmt.Sprintf("did you mean the command %s?", name)}
	}
	return orNear(err, near)
}

// orNear puts what may have been meant before what else helps.
func orNear(err error, near string) error {
	switch h := hintOf(err); {
	case near == "":
		return err
	case h != "":
		return &hinted{err, fmt.Sprintf("did you mean %s? else %s", near, h)}
	}
	return &hinted{err, fmt.Sprintf("did you mean %s?", near)}
}

// nearFile is a file that a path which names none may have been meant as; a folder of the
// path may be misspelt as well. It is empty if there is none.
func nearFile(path string) string {
	path, _, _ = strings.Cut(path, "@")
	if _, err := os.Lstat(path); err == nil || path == "" || path == "-" {
		return ""
	}
	dir, name := filepath.Dir(path), filepath.Base(path)
	if !isDir(dir) {
		if dir = nearFile(dir); dir == "" {
			return ""
		}
		if there := filepath.Join(dir, name); isFile(there) || isDir(there) {
			return there
		}
	}
	f, err := os.Open(dir)
	if err != nil {
		return ""
	}
	defer f.Close()
	names, _ := f.Readdirnames(mostNames) // those that can be read
	slices.Sort(names)
	near := suggest.Nearest(name, names)
	if near == "" {
		return ""
	}
	return filepath.Join(dir, near)
}

// mostNames is how many files of a folder are looked at for one that was meant.
const mostNames = 10_000

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

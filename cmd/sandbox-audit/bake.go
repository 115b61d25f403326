package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/bake"
)

// bakeFile tells a bake file, and which of its targets or groups is meant:
// "docker-bake.hcl@agent".
func bakeFile(target string) (file, name string, ok bool) {
	file = target
	if i := strings.LastIndexByte(target, '@'); i >= 0 && !isFile(target) {
		file, name = target[:i], target[i+1:]
	}
	return file, name, bake.IsBake(file) && isFile(file)
}

// bakeRecipes are the builds that a bake file names, with the services of compose files
// that are built just so. What can't be read is told, and does not keep the others.
func (a *audit) bakeRecipes(file, name string) []recipe {
	targets, err := a.readBake(file, name)
	if err != nil {
		a.fail(file, err)
		return nil
	}
	var out []recipe
	for _, t := range targets {
		r, err := a.bakeRecipe(file, t)
		if err != nil {
			a.fail(r.name, err)
			continue
		}
		for _, c := range a.composed() {
			if r.inline == nil && r.same(c) {
				r.built, r.tags = append(r.built, c.built...), append(r.tags, c.tags...)
			}
		}
		out = append(out, r)
	}
	return out
}

func (a *audit) readBake(file, name string) ([]bake.Target, error) {
	text, err := a.readFile(file)
	if err != nil {
		return nil, err
	}
	f, err := bake.Read(file, text, a.proc.getenv)
	if err != nil {
		return nil, err
	}
	return f.Targets(name)
}

// bakeRecipe is one build of a bake file. Paths are relative to the folder of the file.
func (a *audit) bakeRecipe(file string, t bake.Target) (recipe, error) {
	r := recipe{name: file + "@" + t.Name, stage: t.Stage, args: t.Args, tags: t.Tags}
	if remote(t.Context) {
		return r, &hinted{fmt.Errorf("reading %s: its context is not a directory of this machine", r.name), "name the Dockerfile, with --context"}
	}
	r.context = named(filepath.Dir(file), t.Context)
	r.file = named(r.context, t.Dockerfile)
	if t.Inline != "" {
		r.file, r.inline = r.name, strings.NewReader(t.Inline)
	}
	if len(t.Platforms) > 0 && a.platform == "" {
		if _, set := r.args["TARGETPLATFORM"]; !set {
			r.args["TARGETPLATFORM"] = t.Platforms[0]
		}
	}
	if r = a.overridden(r); a.outside(r) {
		return r, &hinted{fmt.Errorf("reading %s: what it is built from is outside of the project's folder", r.name), "name that folder as a target too"}
	}
	return r, nil
}

// remote reports whether a context is a URL.
func remote(context string) bool {
	return strings.Contains(context, "://") || strings.HasPrefix(context, "git@") || strings.HasPrefix(context, "github.com/")
}

// overridden puts the flags over what a bake or compose file says.
func (a *audit) overridden(r recipe) recipe {
	args := maps.Clone(r.args)
	if args == nil {
		args = map[string]string{}
	}
	maps.Copy(args, a.buildArgs())
	r.args = args
	if a.context != "" {
		r.context = a.context
	}
	if a.options.target != "" {
		r.stage = a.options.target
	}
	return r
}

// readFile reads a small file of text.
func (a *audit) readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, cause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, a.limits.DockerfileBytes+1))
	if err == nil && int64(len(text)) > a.limits.DockerfileBytes {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return text, nil
}

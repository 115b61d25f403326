package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/bake"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
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

// bakeTarget audits each build that a bake file names as the image it would make. Paths
// are relative to the folder of the file.
func (a *audit) bakeTarget(ctx context.Context, file, name string) error {
	text, err := a.readFile(file)
	if err != nil {
		return err
	}
	f, err := bake.Read(file, text, a.proc.getenv)
	if err != nil {
		return err
	}
	targets, err := f.Targets(name)
	if err != nil {
		return err
	}
	for _, t := range targets {
		r, err := a.bakeRecipe(file, t)
		if err == nil {
			err = a.dockerfileTarget(ctx, r)
		}
		if ctx.Err() != nil {
			return err
		}
		if err != nil { // the others are audited still
			a.fail(r.name, err)
		}
	}
	return nil
}

func (a *audit) bakeRecipe(file string, t bake.Target) (recipe, error) {
	r := recipe{name: file + "@" + t.Name, context: t.Context, stage: t.Stage, args: t.Args}
	if remote(t.Context) {
		return r, &hinted{fmt.Errorf("reading %s: its context is not a directory of this machine", r.name), "name the Dockerfile, with --context"}
	}
	if !filepath.IsAbs(r.context) {
		r.context = filepath.Join(filepath.Dir(file), filepath.FromSlash(t.Context))
	}
	if r.file = filepath.FromSlash(t.Dockerfile); !filepath.IsAbs(r.file) {
		r.file = filepath.Join(r.context, r.file)
	}
	if t.Inline != "" {
		r.file, r.inline = r.name, strings.NewReader(t.Inline)
	}
	if len(t.Platforms) > 0 && a.platform == "" {
		if _, set := r.args["TARGETPLATFORM"]; !set {
			r.args["TARGETPLATFORM"] = t.Platforms[0]
		}
	}
	return a.overridden(r), nil
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

// recipes are the ways in which the compose files among the targets build a
// Dockerfile, each once; without one, as the flags say.
func (a *audit) recipes(target string, stdin io.Reader) []recipe {
	var out []recipe
	for _, d := range a.deployments {
		for _, b := range builds(d) {
			if target == "-" || !sameFile(target, recipeOf(d, b)) {
				continue
			}
			r := recipe{name: target, file: target, stage: b.Target, args: b.Args, context: filepath.Join(d.dir, filepath.FromSlash(b.Context))}
			if filepath.IsAbs(b.Context) {
				r.context = b.Context
			}
			r = a.overridden(r)
			if !slices.ContainsFunc(out, func(o recipe) bool { return reflect.DeepEqual(o, r) }) {
				out = append(out, r)
			}
		}
	}
	if len(out) == 0 {
		return []recipe{a.recipe(target, stdin)}
	}
	return out
}

// builds are what the sandboxes of a compose file are built from.
func builds(d *deployment) []manifest.Build {
	var out []manifest.Build
	for _, w := range d.manifest.Sandboxes() {
		for _, c := range w.Sandboxed() {
			if c.Build.Given && !remote(c.Build.Context) {
				out = append(out, c.Build)
			}
		}
	}
	return out
}

// withBuilds adds the Dockerfiles that the sandboxes of compose files are built from.
func (a *audit) withBuilds(targets []string) []string {
	for _, d := range a.deployments {
		for _, b := range builds(d) {
			file := recipeOf(d, b)
			if isFile(file) && !slices.ContainsFunc(targets, func(t string) bool { return sameFile(t, file) }) {
				targets = append(targets, file)
			}
		}
	}
	return targets
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

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/rules"
)

// A recipe is a Dockerfile with how it is built: a target of its own, or one that a
// bake or compose file names.
type recipe struct {
	name    string    // of the target
	file    string    // path of the Dockerfile; "-" for standard input
	inline  io.Reader // the Dockerfile itself, if it is not in the file
	context string    // as --context, or a directory or URL of a bake or compose file
	stage   string    // the last if empty
	args    map[string]string
	tags    []string              // names that the image gets
	built   []*manifest.Container // that a compose file builds so
	alike   []*manifest.Container // whose images are called like the Dockerfile or its folder
	draft   *draft                // what is audited in place of the files; nil for the files themselves
}

// recipe is a Dockerfile named as a target, built as the flags say.
func (a *audit) recipe(target string, stdin io.Reader) recipe {
	r := recipe{name: target, file: target, context: a.context, stage: a.options.target, args: a.buildArgs()}
	if target == "-" {
		r.inline = stdin
	}
	return r
}

// buildArgs are those that the flags give: --platform says what is built for.
func (a *audit) buildArgs() map[string]string {
	args := maps.Clone(a.args)
	if _, set := args["TARGETPLATFORM"]; a.platform != "" && !set {
		args["TARGETPLATFORM"] = a.platform
	}
	return args
}

// build audits the ways in which a target is built, each as the image it would make. What
// can't be read of one does not keep the others.
func (a *audit) build(ctx context.Context, recipes []recipe) error {
	for i, r := range recipes {
		err := a.dockerfileTarget(ctx, r)
		var wrong *usageError
		switch {
		case err == nil:
		case ctx.Err() != nil || errors.As(err, &wrong) || i == len(recipes)-1:
			return err
		default:
			a.fail(r.name, err)
		}
	}
	return nil
}

// dockerfileTarget audits a Dockerfile as the image it would make.
func (a *audit) dockerfileTarget(ctx context.Context, r recipe) error {
	b, err := a.evaluateRecipe(r)
	if err != nil {
		return a.orNoDockerfile(err, r.name)
	}
	scanner := image.NewScanner(scan.Probes(rules.All()), a.limits)
	b, base, err := a.onBases(ctx, scanner, b, r)
	if err != nil {
		return err
	}
	files, why, err := a.openContext(r)
	if err != nil {
		return err
	}
	var end dockerfile.IgnoreEnd
	if files != nil {
		defer files.Close()
		if end, err = files.IgnoreEnd(); err != nil {
			return err
		}
		if err := files.Exclude(r.draft.ignored()); err != nil {
			return err
		}
	}
	p := a.progress(ctx, scanner, r.name)
	defer p.end()
	img, err := scan.PredictOn(ctx, scanner, b, base, files, why)
	if err != nil {
		return fmt.Errorf("reading the build context of %s: %w", r.name, err)
	}
	a.judge(scan.Target{Name: r.name, Kind: "dockerfile", Image: img, Build: b, Ignore: end}, identity{names: r.tags, built: r.built, alike: r.alike})
	return nil
}

func (a *audit) evaluateRecipe(r recipe) (*dockerfile.Build, error) {
	if r.draft != nil {
		return a.evaluate(r.file, bytes.NewReader(r.draft.text), r.stage, r.args)
	}
	if r.inline != nil {
		file := r.file
		if file == "-" {
			file = "Dockerfile"
		}
		return a.evaluate(file, r.inline, r.stage, r.args)
	}
	return a.evaluateFile(r.file, r.stage, r.args)
}

// openContext opens the build context: the one that was named, or the Dockerfile's
// folder where that is plainly meant as one. Without one it says why.
func (a *audit) openContext(r recipe) (files *dockerfile.Context, why string, err error) {
	dir := r.context
	switch {
	case dir == "-":
		return nil, "--context - leaves the build context out", nil
	case dir != "":
	case r.file == "-":
		return nil, "a Dockerfile on standard input has no build context; name it with --context", nil
	default:
		dir = filepath.Dir(r.file)
		if repository(dir) == "" && !isFile(filepath.Join(dir, ".dockerignore")) && !isFile(r.file+".dockerignore") {
			return nil, "its folder is in no repository and has no .dockerignore, so it may not be the build context; name it with --context", nil
		}
	}
	if r.inline != nil {
		files, err = dockerfile.OpenContext(dir, "", a.limits)
	} else {
		files, err = dockerfile.OpenContext(dir, r.file, a.limits)
	}
	return files, "", err
}

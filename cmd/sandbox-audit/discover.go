package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/bake"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// maxFound is how many files of a directory are looked at.
const maxFound = 50_000

// discover puts in the place of a directory that holds a project, and no image, what
// can be audited in it: Dockerfiles, bake files, compose projects and Kubernetes
// manifests.
func (a *audit) discover(targets []string) []string {
	var out []string
	for _, t := range targets {
		a.root(t)
		files := []string{t}
		if a.from == "" && isDir(t) && !isImageDir(t) {
			if found := a.search(t); len(found) > 0 {
				files = found
			}
		}
		for _, f := range files {
			if f != t {
				a.found[f] = true
			}
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// isImageDir reports whether a directory is an OCI layout or a root filesystem.
func isImageDir(dir string) bool {
	if isFile(filepath.Join(dir, "oci-layout")) || isFile(filepath.Join(dir, "index.json")) {
		return true
	}
	return isDir(filepath.Join(dir, "etc")) && isDir(filepath.Join(dir, "usr"))
}

// search lists what can be audited below a directory, links not followed.
func (a *audit) search(dir string) []string {
	var out, templates []string
	n := 0
	root := strings.TrimRight(dir, string(filepath.Separator)) + string(filepath.Separator) // where a link leads
	// What can't be read is told, one by one.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if n++; n > maxFound {
			a.fail(dir, &hinted{fmt.Errorf("reading %s: it has more than %d files, and the rest was not looked at", dir, maxFound), "name what to audit in it"})
			return filepath.SkipAll
		}
		name := filepath.Base(path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist): // what is gone meanwhile
			a.fail(path, fmt.Errorf("reading %s: %w", path, cause(err)))
		case err != nil:
		case d.IsDir() && path != root && ignored(name):
			return filepath.SkipDir
		case !d.Type().IsRegular():
		case dockerfile.IsDockerfile(name) && !strings.HasSuffix(name, ".dockerignore"):
			out = append(out, path)
		case bake.IsBake(name) && !strings.Contains(name, ".override."), a.isDeployment(path):
			out = append(out, path)
		case a.isTemplate(path):
			templates = append(templates, path)
		}
		return nil
	})
	if len(templates) > 0 && !a.quiet {
		complain(a.proc.stderr, &hinted{
			fmt.Errorf("%s is a template, not a manifest, and was passed over%s", templates[0], andMore(len(templates)-1)),
			"audit what it makes, such as: helm template CHART | sandbox-audit --from manifest -",
		})
	}
	return out
}

func andMore(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; so was one more"
	}
	return fmt.Sprintf("; so were %d more", n)
}

// isTemplate reports whether a file would be a manifest if another program had filled it
// in.
func (a *audit) isTemplate(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".tpl", ".j2":
	default:
		return false
	}
	text, err := a.readManifest(path)
	if err != nil || !manifestKey.Match(text) {
		return false
	}
	_, err = manifest.ReadKubernetes([]manifest.File{{Name: path, Text: text}}, manifest.Options{Limits: a.limits})
	var template *manifest.TemplateError
	return errors.As(err, &template)
}

// ignored reports whether a directory holds what is not the project's own.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".devcontainer" ||
		slices.Contains([]string{"node_modules", "vendor", "testdata", "venv", "__pycache__", "site-packages"}, name)
}

// Every Kubernetes object has these two, and hardly anything else in YAML has both.
var (
	apiVersion = regexp.MustCompile(`(?m)^"?apiVersion"?\s*:`)
	objectKind = regexp.MustCompile(`(?m)^"?kind"?\s*:`)
)

// isDeployment reports whether a file is a compose project or a Kubernetes manifest. If
// what is written as one can't be read, that is to be told.
func (a *audit) isDeployment(path string) bool {
	ext := filepath.Ext(path)
	switch {
	case manifest.IsCompose(path):
		return true
	case ext != ".yaml" && ext != ".yml" && ext != ".json" || manifest.IsOverride(path):
		return false
	}
	text, err := a.readManifest(path)
	if errors.Is(err, fs.ErrPermission) {
		return true // so that it is told
	}
	if ext == ".json" {
		return err == nil && bytes.Contains(text, []byte(`"apiVersion"`)) && manifest.Looks(text, a.limits) == manifest.Kubernetes
	}
	if err == nil {
		switch manifest.Looks(text, a.limits) {
		case manifest.Kubernetes:
			return true
		case manifest.Compose:
			return !besideProject(path)
		}
	}
	return apiVersion.Match(text) && objectKind.Match(text) && !a.isTemplate(path)
}

// besideProject reports whether compose's own file is in the folder of another, which
// is then put over it at will, and no project by itself.
func besideProject(path string) bool {
	names, err := os.ReadDir(filepath.Dir(path))
	return err == nil && slices.ContainsFunc(names, func(e os.DirEntry) bool { return manifest.IsCompose(e.Name()) })
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// A deployment is a manifest among the targets, and which of its containers were judged
// with their image.
type deployment struct {
	name     string // as the user typed it
	manifest *manifest.Manifest
	builds   []recipe // of its sandboxes, of what may be read
	joined   []*manifest.Container
}

// manifestKey is how every manifest begins some line.
var manifestKey = regexp.MustCompile(`(?m)^["{ ]*(apiVersion|kind|services|include)"?\s*:`)

// isManifest tells a manifest from a Dockerfile and an image: by --from, by its ending,
// or by its first lines.
func (a *audit) isManifest(target string, stdin *bufio.Reader) bool {
	switch {
	case a.from != "":
		return a.from == "manifest"
	case target == "-":
		head, _ := stdin.Peek(source.HeadBytes) // a shorter stream has a shorter head
		return source.Looks(head) == source.Text && manifestKey.Match(head)
	case !isFile(target):
		return false
	}
	switch strings.ToLower(filepath.Ext(target)) {
	case ".yaml", ".yml":
		return true
	case ".json", "":
		text, err := a.readManifest(target)
		return err == nil && !dockerfile.IsDockerfile(filepath.Base(target)) && manifest.Looks(text, a.limits) == manifest.Kubernetes
	}
	return false
}

func (a *audit) readManifest(target string) ([]byte, error) {
	f, err := os.Open(target)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	return manifest.ReadText(f, a.limits)
}

// readManifests takes the manifests out of the targets and reads them: the files of a
// compose project together, by their folder, and all Kubernetes objects together.
func (a *audit) readManifests(targets []string, stdin *bufio.Reader) (rest []string) {
	var cluster []manifest.File
	projects := map[string][]string{}
	var folders []string
	for _, t := range targets {
		if !a.isManifest(t, stdin) {
			rest = append(rest, t)
			continue
		}
		text, err := a.manifestText(t, stdin)
		switch {
		case err != nil:
			a.fail(t, fmt.Errorf("reading %s: %w", t, err))
		case t == "-" && manifest.Looks(text, a.limits) == manifest.Compose:
			a.add(t, func(o manifest.Options) (*manifest.Manifest, error) { return manifest.ReadComposeText("-", text, o) })
		case manifest.Looks(text, a.limits) == manifest.Compose || manifest.IsCompose(t):
			key := a.project(t)
			if projects[key] == nil {
				folders = append(folders, key)
			}
			projects[key] = append(projects[key], t)
		default:
			cluster = append(cluster, manifest.File{Name: t, Text: text})
		}
	}
	for _, key := range folders {
		files := projects[key]
		a.add(strings.Join(files, " "), func(o manifest.Options) (*manifest.Manifest, error) {
			return manifest.ReadCompose(files, a.below(o, files[0]))
		})
	}
	a.leaveOutParts()
	a.readCluster(cluster)
	return rest
}

// leaveOutParts leaves out compose files that were found and are a part of another
// project, and none by themselves.
func (a *audit) leaveOutParts() {
	wholes := map[string][]*deployment{} // by the part
	for _, d := range a.deployments {
		for _, file := range d.manifest.Parts {
			wholes[absolute(file)] = append(wholes[absolute(file)], d)
		}
	}
	a.deployments = slices.DeleteFunc(slices.Clone(a.deployments), func(d *deployment) bool {
		return a.found[d.name] && slices.ContainsFunc(wholes[absolute(d.name)], func(o *deployment) bool {
			return o != d && !slices.Contains(wholes[absolute(o.name)], d)
		})
	})
}

// project is what compose files have in common that are read together: the folder of
// those that the user names, and nothing for those that were found in a directory.
func (a *audit) project(file string) string {
	if a.found[file] {
		return file
	}
	return filepath.Dir(file)
}

// below reads nothing outside of the repository, or else of the folder that the user
// named, or else of that of the file.
func (a *audit) below(o manifest.Options, file string) manifest.Options {
	root := filepath.Dir(file)
	if abs, err := filepath.Abs(root); err == nil {
		if repo := repository(abs); repo != "" {
			root = repo
		} else if i := slices.IndexFunc(a.roots, func(r string) bool { return holds(r, file) }); i >= 0 {
			root = a.roots[i]
		}
	}
	o.Root, o.As = root, root
	if cwd, err := os.Getwd(); err == nil && !filepath.IsAbs(file) {
		if rel, err := filepath.Rel(cwd, root); err == nil {
			o.As = rel
		}
	}
	return o
}

func (a *audit) manifestText(target string, stdin *bufio.Reader) ([]byte, error) {
	if target == "-" {
		return manifest.ReadText(stdin, a.limits)
	}
	return a.readManifest(target)
}

// readCluster reads all Kubernetes manifests as one cluster. A file that is none does
// not keep the others from being read.
func (a *audit) readCluster(files []manifest.File) {
	var names []string
	var good []manifest.File
	for _, f := range files {
		if _, err := manifest.ReadKubernetes([]manifest.File{f}, manifest.Options{Limits: a.limits}); err != nil {
			if !a.found[f.Name] {
				a.fail(f.Name, err)
			}
			continue
		}
		names, good = append(names, f.Name), append(good, f)
	}
	if len(good) > 0 {
		a.add(strings.Join(names, " "), func(o manifest.Options) (*manifest.Manifest, error) { return manifest.ReadKubernetes(good, o) })
	}
}

// add reads a manifest, and keeps its text for the report.
func (a *audit) add(name string, read func(manifest.Options) (*manifest.Manifest, error)) {
	m, err := read(manifest.Options{Limits: a.limits, Sandbox: a.sandbox, Usual: a.sandboxes})
	if err != nil {
		a.fail(name, err)
		return
	}
	for _, f := range m.Files {
		a.texts[f.Name] = f.Text
	}
	builds, outside := a.builds(m)
	m.Problems = append(m.Problems, outside...)
	a.deployments = append(a.deployments, &deployment{name: name, manifest: m, builds: builds})
}

// fail records a target that could not be read.
func (a *audit) fail(target string, err error) {
	var tmpl *manifest.TemplateError
	if errors.As(err, &tmpl) {
		err = &hinted{err, tmpl.Hint()}
	}
	a.failed = append(a.failed, report.FailedTarget{Name: target, Message: err.Error(), Hint: hintOf(err)})
	complain(a.proc.stderr, err)
}

// checkSandbox says which name of --sandbox nothing has.
func (a *audit) checkSandbox() error {
	for _, name := range a.sandbox {
		if len(a.failed) > 0 || slices.ContainsFunc(a.deployments, func(d *deployment) bool { return !slices.Contains(d.manifest.Absent, name) }) {
			continue
		}
		var all []string
		for _, d := range a.deployments {
			for _, w := range d.manifest.Workloads {
				if !slices.Contains(all, w.Name) {
					all = append(all, w.Name)
				}
			}
		}
		return didYouMean(fmt.Errorf("--sandbox %s: no manifest of the targets has such a workload", name), name, all)
	}
	return nil
}

// page is what the page of a workload is called: a cluster may come from hundreds of
// files, of which one holds it.
func (d *deployment) page(w *manifest.Workload) string {
	if d.manifest.Kind == manifest.Kubernetes {
		return w.At.File
	}
	return d.name
}

// judgeManifests judges what is left of the manifests: containers of which no image is
// among the targets. A manifest without a sandbox is one page that says so.
func (a *audit) judgeManifests() {
	for _, d := range a.deployments {
		sandboxes := d.manifest.Sandboxes()
		for _, w := range sandboxes {
			t := scan.ManifestTarget(d.page(w), d.manifest, w)
			all := len(t.Containers)
			t.Containers = slices.DeleteFunc(t.Containers, func(c *manifest.Container) bool { return slices.Contains(d.joined, c) })
			if len(t.Containers) > 0 || all == 0 {
				a.judgeOne(t)
			}
		}
		if len(sandboxes) == 0 {
			a.judgeOne(scan.ManifestTarget(d.name, d.manifest, nil))
		}
	}
}

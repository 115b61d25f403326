package manifest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// ErrNone is returned for text that is no manifest.
var ErrNone = errors.New("it is neither a compose file nor a Kubernetes manifest")

// A TemplateError is returned for a file that a template engine has to fill in first.
type TemplateError struct{ File string }

func (e *TemplateError) Error() string {
	return fmt.Sprintf("reading %s: it is a template, not a manifest", e.File)
}

// Hint says how to get the manifest.
func (e *TemplateError) Hint() string {
	return "audit what it makes: helm template CHART | sandbox-audit --from manifest -"
}

// Compose file names that a project starts with, and what is put over each (Compose
// specification, "Compose file").
var (
	composeNames  = []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}
	overrideNames = []string{"compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml"}
)

// IsCompose reports whether a file is a compose project by its name.
func IsCompose(name string) bool { return slices.Contains(composeNames, filepath.Base(name)) }

// IsOverride reports whether a file is read with the compose project of its folder.
func IsOverride(name string) bool { return slices.Contains(overrideNames, filepath.Base(name)) }

// Looks says which language a text is in; 0 if it is none, or a template.
func Looks(text []byte, lim limits.Limits) Kind {
	docs, err := newParser("", text, lim).documents()
	if err != nil {
		return 0
	}
	for _, d := range docs {
		switch {
		case isCompose(d.root):
			return Compose
		case isObject(d.root):
			return Kubernetes
		}
	}
	return 0
}

// ReadCompose reads the files of one compose project, each over those before it. A file
// with one of compose's own names, alone, takes its override along.
func ReadCompose(files []string, opt Options) (*Manifest, error) {
	root := opt.Root
	if root == "" {
		root = filepath.Dir(files[0])
	}
	p, err := openProject(root, opt.Limits)
	if err != nil {
		return nil, err
	}
	defer p.root.Close()
	if opt.As != "" {
		p.base = opt.As
	}
	var names []string
	for _, f := range files {
		rel, err := relative(root, f)
		if err != nil {
			return nil, fmt.Errorf("reading %s: it is outside of %s", f, root)
		}
		names = append(names, rel)
	}
	if len(names) == 1 && IsCompose(names[0]) {
		names = append(names, p.overrides(names[0])...)
	}
	dir := path.Dir(names[0])
	return p.manifest(names, scope{dir, p.environment(dir, &variables{})}, opt)
}

// ReadComposeText reads a compose file that stands alone, such as one on standard
// input. What it includes can't be read.
func ReadComposeText(name string, text []byte, opt Options) (*Manifest, error) {
	p := &project{lim: opt.Limits, files: map[loaded]*composeFile{}}
	env := &variables{}
	if _, err := p.add(name, text, env); err != nil {
		return nil, templateOf(name, err)
	}
	return p.manifest([]string{name}, scope{".", env}, opt)
}

func openProject(dir string, lim limits.Limits) (*project, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, short(err))
	}
	return &project{root: root, base: dir, lim: lim, files: map[loaded]*composeFile{}}, nil
}

func relative(root, file string) (string, error) {
	a, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	b, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(a, b)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errors.New("outside")
	}
	return filepath.ToSlash(rel), nil
}

// overrides are the files that are put over one with a name of compose's own.
func (p *project) overrides(name string) []string {
	dir := filepath.ToSlash(filepath.Dir(name))
	for _, o := range overrideNames {
		if f := filepath.ToSlash(filepath.Join(dir, o)); f != name {
			if info, err := p.root.Stat(f); err == nil && info.Mode().IsRegular() {
				return []string{f}
			}
		}
	}
	return nil
}

func (p *project) manifest(names []string, in scope, opt Options) (*Manifest, error) {
	model, err := p.merged(names, in)
	if err != nil {
		return nil, templateOf(p.shown(names[0]), err)
	}
	model = p.settled(model)
	m := &Manifest{Kind: Compose, Files: p.order, Workloads: p.services(model), Parts: p.parts}
	m.Problems = p.problems
	if n := len(model.get("services").pairs()); n > opt.Limits.YAMLWorkloads {
		m.tooMany(model.get("services").at, opt.Limits)
	}
	if len(m.Workloads) == 0 && len(m.Problems) == 0 {
		return nil, fmt.Errorf("reading %s: %w", p.shown(names[0]), ErrNone)
	}
	m.Problems = append(m.Problems, composeRemarks(model)...)
	m.Absent = opt.tellApart(m.Workloads)
	m.Problems = append(m.Problems, inlineBuilds(m.Sandboxes())...)
	return m, nil
}

func templateOf(name string, err error) error {
	if errors.Is(err, errTemplate) {
		return &TemplateError{name}
	}
	return err
}

// ReadKubernetes reads Kubernetes manifests as one cluster: policies and service
// accounts of one file hold for the pods of another.
func ReadKubernetes(files []File, opt Options) (*Manifest, error) {
	m := &Manifest{Kind: Kubernetes, Files: files}
	var all []*object
	var recipes []*value
	for _, f := range files {
		ps := newParser(f.Name, f.Text, opt.Limits)
		docs, err := ps.documents()
		if err != nil {
			return nil, templateOf(f.Name, err)
		}
		m.Problems = append(m.Problems, ps.problems...)
		for _, d := range docs {
			if d.root.get("kind").str() == "Kustomization" {
				recipes = append(recipes, d.root)
			} else if isObject(d.root) {
				all = append(all, objects(d.root)...)
			}
		}
	}
	m.Problems = append(m.Problems, kustomizations(recipes, len(all) > 0)...)
	if len(all) == 0 && len(m.Problems) == 0 {
		return nil, fmt.Errorf("reading %s: %w", files[0].Name, ErrNone)
	}
	c := newCluster(all)
	for _, o := range all {
		ws := o.workloads(c)
		if len(m.Workloads)+len(ws) > opt.Limits.YAMLWorkloads {
			m.tooMany(o.root.at, opt.Limits)
			break
		}
		for _, w := range ws {
			w.Egress = c.egress(o, w)
		}
		m.Workloads = append(m.Workloads, ws...)
		m.Problems = append(append(m.Problems, o.remarks()...), c.claims(o)...)
	}
	m.Problems = told(m.Problems)
	m.Absent = opt.tellApart(m.Workloads)
	return m, nil
}

func (m *Manifest) tooMany(at Place, lim limits.Limits) {
	m.Problems = append(m.Problems, Problem{At: at, What: fmt.Sprintf("there are more than %d workloads; the others are not judged", lim.YAMLWorkloads), Fatal: true})
}

// ReadText reads all of r, as far as one file may have.
func ReadText(r io.Reader, lim limits.Limits) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, lim.YAMLBytes+1))
	if err == nil && int64(len(text)) > lim.YAMLBytes {
		err = fmt.Errorf("it has more than %d bytes", lim.YAMLBytes)
	}
	return text, err
}

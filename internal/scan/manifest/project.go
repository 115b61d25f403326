package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A project is a compose project that is being read. All its files are opened below
// one root, which neither ".." nor a symbolic link leaves.
type project struct {
	root  *os.Root // nil for a file that stands alone
	base  string   // of root, as the user named it
	lim   limits.Limits
	files map[loaded]*composeFile
	order []File   // each once
	parts []string // files that stand for no project of their own

	problems []Problem
	reading  []string // files that include each other
	merges   int      // files that were merged, each as often as it is included
	spent    int64    // on questions to compose
	values   int      // in files and in the model
	over     bool     // one of these is more than there is
}

// A composeFile is a file of a project, its variables replaced.
type composeFile struct{ docs []*value }

// Loaded is what a file was read as: with other variables it is another.
type loaded struct {
	name string // below root
	env  *variables
}

// A scope is what the files of a project, or of a part that is included, have in common.
type scope struct {
	dir string // below root, for relative paths
	env *variables
}

// readFile reads a file below the root, if it is regular and not too big.
func (p *project) readFile(name string) ([]byte, error) {
	if p.root == nil {
		return nil, errors.New("a file on standard input is in no folder")
	}
	info, err := p.root.Stat(name)
	switch {
	case err != nil:
		return nil, short(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > p.lim.YAMLBytes:
		return nil, fmt.Errorf("it has more than %d bytes", p.lim.YAMLBytes)
	}
	f, err := p.root.Open(name)
	if err != nil {
		return nil, short(err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, p.lim.YAMLBytes))
}

// short is an error of a file without its path, which the user knows.
func short(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// load reads and parses a file, with the variables of env.
func (p *project) load(name string, env *variables) (*composeFile, error) {
	if f := p.files[loaded{name, env}]; f != nil {
		return f, nil
	}
	if len(p.files) >= p.lim.YAMLFiles {
		return nil, fmt.Errorf("the project has more than %d files", p.lim.YAMLFiles)
	}
	text, err := p.readFile(name)
	if err != nil {
		return nil, err
	}
	return p.add(name, text, env)
}

func (p *project) add(name string, text []byte, env *variables) (*composeFile, error) {
	if !slices.ContainsFunc(p.order, func(o File) bool { return o.Name == p.shown(name) }) {
		p.order = append(p.order, File{p.shown(name), text})
	}
	ps := newParser(p.shown(name), text, p.lim)
	ps.expand = p.expander(env)
	docs, err := ps.documents()
	if err != nil {
		return nil, err
	}
	p.problems = append(p.problems, ps.problems...)
	if !p.count(p.lim.YAMLValues - ps.left) {
		return nil, errors.New("the project has too many values")
	}
	f := &composeFile{}
	for _, d := range docs {
		f.docs = append(f.docs, p.normalized(d.root))
	}
	p.files[loaded{name, env}] = f
	return f, nil
}

// shown is a name below the root as the user would write it.
func (p *project) shown(name string) string { return filepath.Join(p.base, filepath.FromSlash(name)) }

// merged reads files as one model, each over those before it.
func (p *project) merged(names []string, in scope) (*value, error) {
	model, outer := &value{kind: mapping}, p.reading
	defer func() { p.reading = outer }()
	for _, name := range names {
		if p.merges++; p.merges > p.lim.YAMLFiles {
			return nil, fmt.Errorf("the project includes more than %d files", p.lim.YAMLFiles)
		}
		if slices.Contains(outer, name) {
			return nil, fmt.Errorf("%s includes itself", p.shown(name))
		}
		p.reading = append(slices.Clip(outer), name)
		f, err := p.load(name, in.env)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", p.shown(name), err)
		}
		for _, doc := range f.docs {
			doc = p.included(doc, in)
			doc = p.extended(doc, name, in)
			model = p.merge(model, doc, "")
		}
	}
	return model, nil
}

// included brings in what a document includes; its own services go over those.
func (p *project) included(doc *value, in scope) *value {
	for _, e := range doc.get("include").list() {
		var names []string
		for _, file := range e.get("path").list() {
			if name, ok := p.local(file, in.dir, "included"); ok {
				names = append(names, name)
				p.parts = append(p.parts, p.shown(name))
			}
		}
		part, ok := p.part(e, names, in)
		if !ok {
			continue
		}
		more, err := p.merged(names, part)
		if err != nil {
			p.lost(e.at, "what is included", err)
			continue
		}
		doc = p.merge(more, doc, "")
	}
	return doc
}

// part is the scope of files that are included: the folder of the first, or the one that
// is said, and the .env file there, or those that are said.
func (p *project) part(e *value, names []string, in scope) (scope, bool) {
	if len(names) == 0 {
		return scope{}, false
	}
	out := scope{path.Dir(names[0]), in.env}
	if dir := e.get("project_directory"); dir.given() {
		name, ok := p.local(dir, in.dir, "included")
		if !ok {
			return scope{}, false
		}
		out.dir = name
	}
	files := e.get("env_file").list()
	if len(files) == 0 {
		out.env = p.environment(out.dir, in.env)
	}
	for _, file := range files {
		if file.str() == "/dev/null" {
			continue
		}
		name, ok := p.local(file, in.dir, "named as .env")
		if !ok {
			continue
		}
		text, err := p.readFile(name)
		if err != nil {
			p.lost(file.at, "the .env of what is included", err)
			continue
		}
		out.env = p.under(out.env, name, text)
	}
	return out, true
}

// local is the name below the root of a file that another one names; false, and a
// problem, if it is elsewhere.
func (p *project) local(file *value, dir, what string) (string, bool) {
	s := filepath.ToSlash(file.str())
	name := path.Join(dir, s)
	switch {
	case file != nil && file.unknown != "":
		p.problems = append(p.problems, Problem{At: file.at, What: fmt.Sprintf("the file that is %s is not read: %s", what, file.unknown), Fatal: true})
	case strings.Contains(s, "://") || strings.HasPrefix(s, "git@") || strings.HasPrefix(s, "oci:"):
		p.problems = append(p.problems, Problem{At: file.at, What: fmt.Sprintf("the file that is %s is on another machine and is not read", what), Hint: "audit what docker compose config prints", Fatal: true})
	case s == "" || path.IsAbs(s) || name == ".." || strings.HasPrefix(name, "../"):
		p.problems = append(p.problems, Problem{At: file.at, What: fmt.Sprintf("the file that is %s is outside of the project's folder and is not read", what), Hint: "audit what docker compose config prints", Fatal: true})
	default:
		return name, true
	}
	return "", false
}

func (p *project) lost(at Place, what string, err error) {
	p.problems = append(p.problems, Problem{At: at, What: fmt.Sprintf("%s is not read: %v", what, err), Fatal: true})
}

package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	files map[string]*composeFile // by name below root
	order []string

	problems []Problem
	reading  []string // files that include each other
	merges   int      // files that were merged, each as often as it is included
}

// A composeFile is a file of a project, its variables replaced.
type composeFile struct {
	text []byte
	dir  string // below root
	docs []*value
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
func (p *project) load(name string, env map[string]string) (*composeFile, error) {
	if f := p.files[name]; f != nil {
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

func (p *project) add(name string, text []byte, env map[string]string) (*composeFile, error) {
	ps := newParser(p.shown(name), text, p.lim)
	ps.expand = func(s string) (string, string) {
		return interpolate(s, func(n string) (string, bool) { v, ok := env[n]; return v, ok })
	}
	docs, err := ps.documents()
	if err != nil {
		return nil, err
	}
	f := &composeFile{text: text, dir: path.Dir(name)}
	for _, d := range docs {
		f.docs = append(f.docs, normalized(d.root))
	}
	p.problems = append(p.problems, ps.problems...)
	p.files[name] = f
	p.order = append(p.order, name)
	return f, nil
}

// shown is a name below the root as the user would write it.
func (p *project) shown(name string) string { return filepath.Join(p.base, filepath.FromSlash(name)) }

// environment are the variables of the .env file in a folder, over those of outer. The
// shell's are not known.
func (p *project) environment(dir string, outer map[string]string) map[string]string {
	env := maps.Clone(outer)
	if env == nil {
		env = map[string]string{}
	}
	text, err := p.readFile(path.Join(dir, ".env"))
	if err != nil {
		return env
	}
	for k, v := range dotenv(string(text)) {
		if _, ok := env[k]; !ok {
			env[k] = v
		}
	}
	return env
}

// merged reads files as one model, each over those before it.
func (p *project) merged(names []string, env map[string]string) (*value, error) {
	model := &value{kind: mapping}
	for _, name := range names {
		if p.merges++; p.merges > p.lim.YAMLFiles {
			return nil, fmt.Errorf("the project includes more than %d files", p.lim.YAMLFiles)
		}
		if slices.Contains(p.reading, name) {
			return nil, fmt.Errorf("%s includes itself", p.shown(name))
		}
		p.reading = append(p.reading, name)
		f, err := p.load(name, env)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", p.shown(name), err)
		}
		for _, doc := range f.docs {
			doc = p.included(doc, f, env)
			doc = p.extended(doc, name, f, env)
			model = merge(model, doc, "")
		}
		p.reading = p.reading[:len(p.reading)-1]
	}
	return model, nil
}

// included brings in what a document includes; its own services go over those.
func (p *project) included(doc *value, f *composeFile, env map[string]string) *value {
	inc := doc.get("include")
	if !inc.given() {
		return doc
	}
	for _, e := range inc.list() {
		files, dir := e.list(), ""
		if e.kind == mapping {
			files, dir = e.get("path").list(), e.get("project_directory").str()
		}
		var names []string
		for _, file := range files {
			if name, ok := p.local(file, f.dir, "included"); ok {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			continue
		}
		folder := path.Dir(names[0])
		if dir != "" {
			folder = path.Join(f.dir, filepath.ToSlash(dir))
		}
		more, err := p.merged(names, p.environment(folder, env))
		if err != nil {
			p.lost(e.at, "what is included", err)
			continue
		}
		doc = merge(more, doc, "")
	}
	return doc
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

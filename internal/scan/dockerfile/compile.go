package dockerfile

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var pythonName = regexp.MustCompile(`^python(\d)\.(\d+)$`)

var pythonTag = regexp.MustCompile(`^(?:docker\.io/library/)?python:(\d+)\.(\d+)`)

// compileall follows "python -m compileall": bytecode beside the sources with -b,
// else in __pycache__ under a name that depends on the interpreter's version.
func (r *session) compileall(args []arg) {
	found, rest := options(args, "-d -s -p -x -i -j -r -e -o --invalidation-mode --workers --hardlink-dupes")
	if len(rest) == 0 {
		return // then it compiles what is on sys.path, which is not ours
	}
	for _, p := range r.targets(rest, "compileall of a path that is a variable") {
		if has(found, "-x") {
			r.unknownUnder(p, "compileall makes bytecode there, except for what a pattern keeps out")
			continue
		}
		r.compile(p, has(found, "-b"), has(found, "-l"))
	}
}

func (r *session) compile(p string, beside, flat bool) {
	p = r.real(p, true)
	n := r.at(p)
	if n == nil || n.file == nil && r.partial {
		r.unknownUnder(p, "compileall makes bytecode there")
	}
	if n == nil {
		return
	}
	var sources []string
	n.walk(p, func(q string, k *node) bool {
		if !k.isDir() && strings.HasSuffix(q, ".py") {
			sources = append(sources, q)
		}
		return r.spend(1) && (!flat || !k.isDir() || q == p)
	})
	for _, src := range sources {
		r.bytecode(src, beside)
	}
}

// pyCompile follows "python -m py_compile", which compiles to __pycache__ only.
// What it makes of files of the base is not ours.
func (r *session) pyCompile(args []arg) {
	_, rest := options(args, "")
	for _, p := range r.targets(rest, "py_compile of a path that is a variable") {
		p = r.real(p, true)
		if n := r.at(p); n != nil && !n.isDir() {
			r.bytecode(p, false)
		}
	}
}

// bytecode stores what a source is compiled to. Beside the source it stands for that,
// and has its text for content.
func (r *session) bytecode(src string, beside bool) {
	to := src + "c"
	if !beside {
		cache := path.Join(path.Dir(src), "__pycache__")
		version := r.interpreter()
		if version == "" {
			r.unknownUnder(cache, "compileall makes bytecode there")
			return
		}
		if r.at(cache) == nil {
			d := Add{Path: cache, Mode: fs.ModeDir | 0o755}
			d.own(r.step.User)
			r.store(d)
		}
		to = path.Join(cache, strings.TrimSuffix(path.Base(src), ".py")+".cpython-"+version+".pyc")
	}
	f := Add{Path: to, Mode: 0o644}
	if n := r.at(src); beside && n != nil && n.file != nil { // it does what its source says
		f.Open, f.Size, f.text = n.file.Open, n.file.Size, n.file.text
	}
	f.own(r.step.User)
	r.store(f)
}

package dockerfile

import (
	"io"
	"io/fs"
	"strconv"
)

// maxWork is how many files a prediction may look at, over all its steps and
// stages. It is far above what real builds need.
const maxWork = 1_000_000

// Predict foretells what each step that makes a layer does to the files of the
// image: what COPY and ADD bring from the context, from heredocs and from other
// stages, and what the commands of RUN do to that, as far as they are understood.
// Where something is not known, an event says so. Without a context (nil), what
// comes from it is unknown. The files that Open functions read are those of ctx,
// which must stay open.
func (b *Build) Predict(ctx *Context) []PredictedLayer {
	return b.predict(ctx, maxWork)
}

func (b *Build) predict(ctx *Context, work int) []PredictedLayer {
	p := &predictor{b: b, finals: map[*Stage]*tree{}, images: map[*BaseImage]*tree{}, left: &work}
	if ctx != nil {
		p.ctx = ctx.tree()
	}
	layers, _ := p.run(b)
	return layers
}

// A predictor predicts a build and the stages it copies from.
type predictor struct {
	b      *Build
	ctx    *tree
	finals map[*Stage]*tree // of stages that were copied from; nil if it can't be told
	images map[*BaseImage]*tree
	left   *int
}

func (p *predictor) run(b *Build) ([]PredictedLayer, *tree) {
	t := newTree()
	t.partial = b.Base != "scratch"
	if b.Image != nil {
		*p.left -= len(b.Image.Files) / loadWork
		t = b.Image.tree()
	}
	var out []PredictedLayer
	for _, s := range b.Steps {
		if !s.MakesLayer() {
			continue
		}
		l := t.begin(s, b.Base, p.left)
		switch {
		case s.Instr.form == nil:
			l.opaque("the instruction could not be understood")
		case *p.left <= 0:
			l.opaque("it takes more work than an audit does")
		case s.Instr.Cmd == "RUN":
			l.command(s)
		case s.Instr.Cmd == "WORKDIR":
			l.workdir(s)
		default:
			p.copy(l, s)
		}
		out = append(out, PredictedLayer{s, l.events()})
	}
	return out, t
}

// final returns the files of another stage once it is built; nil if it can't be
// told.
func (p *predictor) final(s *Stage) *tree {
	if t, ok := p.finals[s]; ok {
		return t
	}
	p.finals[s] = nil
	b, err := p.b.File.BuildOn(strconv.Itoa(s.Index), p.b.given, p.b.images)
	if err != nil {
		return nil
	}
	if *p.left -= len(b.Steps) * stepWork; *p.left <= 0 {
		return nil
	}
	_, p.finals[s] = p.run(b)
	return p.finals[s]
}

// image returns the files of an external image; nil if it was not read.
func (p *predictor) image(ref string) *tree {
	img := p.b.images.of(ref)
	if img == nil {
		return nil
	}
	if p.images[img] == nil {
		*p.left -= len(img.Files) / loadWork
		p.images[img] = img.tree()
	}
	return p.images[img]
}

// What work counts for: stepWork is evaluating a step once more, loadWork is how many
// files of a base image are as much as one that a command looks at.
const (
	stepWork = 20
	loadWork = 10
)

// workdir makes the working directory where there is none.
func (l *layer) workdir(s *Step) {
	if s.Dir == "" || l.at(l.real(s.Dir, true)) != nil || l.standard(s.Dir) {
		return
	}
	f := Add{Path: s.Dir, Mode: fs.ModeDir | 0o755}
	f.own(s.User)
	l.store(f)
}

// standard reports whether p is a directory that every base but scratch has
// (Filesystem Hierarchy Standard 3.0).
func (t *tree) standard(p string) bool {
	if p == "/" {
		return true
	}
	switch p {
	case "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp",
		"/usr", "/usr/bin", "/usr/lib", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/usr/local/sbin", "/usr/local/share", "/usr/sbin", "/usr/share",
		"/var", "/var/cache", "/var/lib", "/var/log", "/var/run", "/var/spool", "/var/tmp":
		return t.partial
	}
	return false
}

// tree returns the files of a context as a tree.
func (c *Context) tree() *tree {
	t := newTree()
	for _, f := range c.Files {
		a := &Add{Path: "/" + f.Path, Mode: f.Mode, Size: f.Size, Link: f.Link}
		if f.Mode.IsRegular() {
			a.Open = func() (io.ReadCloser, error) { return c.Open(f.Path) }
		}
		t.put(a)
	}
	return t
}

package dockerfile

import (
	"cmp"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// A BaseImage is what a build sees of an external image that was read.
type BaseImage struct {
	User, WorkingDir string
	Env              []string // "NAME=value", in order
	Shell            []string
	OnBuild          []string // triggers, as written
	// Files are what a container of it sees, in any order. Whole is false if some
	// of them could not be read.
	Files []Add
	Whole bool
}

// BaseImages are the external images that were read.
type BaseImages struct {
	byRef map[Ref]*BaseImage
}

// Add records what a reference stands for.
func (b *BaseImages) Add(ref string, img *BaseImage) {
	if b.byRef == nil {
		b.byRef = map[Ref]*BaseImage{}
	}
	b.byRef[full(ref)] = img
}

// of returns the image that a reference stands for; nil if it was not read.
func (b BaseImages) of(ref string) *BaseImage { return b.byRef[full(ref)] }

// SameRef reports whether two references name the same image.
func SameRef(a, b string) bool { return full(a) == full(b) }

// full is a reference with the tag that no tag and no digest stand for.
func full(ref string) Ref {
	r := ParseRef(ref)
	if r.Digest == "" {
		r.Tag = cmp.Or(r.Tag, "latest")
	}
	return r
}

// inherit starts a build with what its base image says.
func (e *evaluator) inherit(img *BaseImage) {
	e.b.Image, e.user = img, img.User
	e.dir = cmp.Or(img.WorkingDir, "/")
	if len(img.Shell) > 0 {
		e.shell = img.Shell
	}
	e.set("PATH", defaultPath)
	for _, kv := range img.Env {
		name, value, _ := strings.Cut(kv, "=")
		e.set(name, value)
		e.env[name] = value
	}
}

// inherited returns what the triggers of a base image run first, each as if it stood
// in the FROM (buildkit, dockerfile2llb, parseOnBuild).
func (b *Build) inherited() []*Instr {
	if b.Image == nil {
		return nil
	}
	var out []*Instr
	for _, text := range b.Image.OnBuild {
		res, err := parser.Parse(strings.NewReader(text))
		if err != nil || len(res.AST.Children) != 1 {
			continue
		}
		in := newSource(b.File.Path, []byte(text), b.File.lim).instr(res.AST.Children[0])
		in.Span, in.Stage = b.From.Span, b.From.Stage
		if in.form, _ = check(in, '\\'); in.form != nil {
			out = append(out, in)
		}
	}
	return out
}

// tree returns the files of the image as a tree.
func (img *BaseImage) tree() *tree {
	t := newTree()
	t.partial = !img.Whole
	for i := range img.Files {
		t.put(&img.Files[i])
	}
	return t
}

package imports

import (
	"archive/zip"
	"io"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// Fact is where the target's modules are.
var Fact = &scan.Derived[*Index]{
	Name:    "python-modules",
	Needs:   []scan.Need{python.Fact, codes, PathFiles},
	Compute: func(p *scan.Pass) *Index { return index(p.Image, python.Fact.Of(p)) },
}

// An Index is where the modules of an image are.
type Index struct {
	img        *image.Image
	inv        *python.Inventory
	dirs       map[string]bool        // that hold modules, at any depth
	extensions map[string]*image.File // by path up to the first dot of the name
	uncheck    map[string]*image.File // bytecode that is loaded whatever its source says, by path of the source without ".py"
	zips       map[*image.File]*archive
}

func index(img *image.Image, inv *python.Inventory) *Index {
	x := &Index{img: img, inv: inv, dirs: map[string]bool{}, extensions: map[string]*image.File{},
		uncheck: map[string]*image.File{}, zips: map[*image.File]*archive{}}
	for f := range img.Files() {
		if f.Buried() || f.Mode.IsDir() {
			continue
		}
		dir, base := path.Split(f.Path)
		stem, ext, _ := strings.Cut(base, ".")
		switch {
		case ext == "so" || strings.HasPrefix(ext, "cpython-") && strings.HasSuffix(ext, ".so") || ext == "abi3.so":
			x.extensions[dir+stem] = f
		case strings.HasSuffix(ext, "pyc") && path.Base(path.Clean(dir)) == "__pycache__":
			if text, ok := codes.Of(f); ok && unchecked(text.String()) {
				x.uncheck[path.Join(path.Dir(path.Clean(dir)), stem)] = f
			}
			continue
		case ext != "py" && ext != "pyc":
			continue
		}
		for up := path.Clean(dir); !x.dirs[up]; up = path.Dir(up) {
			x.dirs[up] = true
		}
	}
	return x
}

// unchecked returns the bytecode in __pycache__ that is loaded in place of a source,
// whatever that says (PEP 552).
func (x *Index) unchecked(at string) *image.File { return x.uncheck[at] }

// An archive is a zip file that Python imports from (zipimport).
type archive struct {
	members map[string]*zip.File // by name
	dirs    map[string]bool
}

// archive returns what the zip file f holds; nil if f is none, or was not kept.
func (x *Index) archive(f *image.File) *archive {
	if a, ok := x.zips[f]; ok {
		return a
	}
	var a *archive
	if text, ok := codes.Of(f); ok {
		a = unzip(text.String())
	}
	x.zips[f] = a
	return a
}

// maxMembers bounds how many files of one zip file are looked at, maxMember how
// many bytes of one are unpacked.
const (
	maxMembers = 20_000
	maxMember  = 1 << 20
)

func unzip(text string) *archive {
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if z == nil || err != nil && len(z.File) == 0 {
		return nil
	}
	a := &archive{members: map[string]*zip.File{}, dirs: map[string]bool{}}
	for i, f := range z.File {
		if i == maxMembers {
			break
		}
		a.members[f.Name] = f
		for up := path.Dir(f.Name); up != "." && up != "/" && !a.dirs[up]; up = path.Dir(up) {
			a.dirs[up] = true
		}
	}
	return a
}

// member finds a module in a zip file: at is its path without extension, that of
// the zip file first.
func (x *Index) member(at string) (Module, bool) {
	for up := path.Dir(at); len(up) > 1; up = path.Dir(up) {
		f := x.img.Lookup(up)
		if f == nil || !f.Mode.IsRegular() {
			continue
		}
		a := x.archive(f)
		if a == nil {
			return Module{}, false
		}
		name := strings.TrimPrefix(at, up+"/")
		for _, ext := range []string{".pyc", ".py"} { // the order of zipimport
			if z := a.members[name+ext]; z != nil {
				return x.unpack(f, z), true
			}
		}
		return Module{}, false
	}
	return Module{}, false
}

func (x *Index) unpack(f *image.File, z *zip.File) Module {
	m := x.judged(Module{File: f, Member: z.Name})
	if m.Status != Own {
		return m
	}
	r, err := z.Open()
	if err != nil {
		m.Status, m.Why = Unknown, z.Name+" in "+f.Path+" can't be unpacked"
		return m
	}
	defer r.Close()
	var b strings.Builder
	if n, err := io.Copy(&b, io.LimitReader(r, maxMember+1)); err != nil || n > maxMember {
		m.Status, m.Why = Unknown, z.Name+" in "+f.Path+" can't be unpacked, or is too large"
		return m
	}
	m.Text = b.String()
	m.Compiled = isBytecode(m.Text)
	return m
}

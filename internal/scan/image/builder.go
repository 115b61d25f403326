package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Names with a meaning in a layer (OCI image-spec, layer.md, "Whiteouts").
const (
	whiteoutPrefix = ".wh."
	whiteoutMeta   = ".wh..wh." // reserved for the union file system that first used whiteouts
	whiteoutOpaque = ".wh..wh..opq"
)

// A Builder collects the entries of one layer, from an archive, a directory or a
// prediction, and offers their content to the probes.
type Builder struct {
	s       *Scanner
	ctx     context.Context
	content Content
	names   int64
	scratch []byte
	window  []byte
	full    bool // a fact was dropped for what it would keep

	searched int64 // bytes of the files that passed in windows
}

// NewLayer returns an empty Builder.
func (s *Scanner) NewLayer(ctx context.Context) *Builder { return &Builder{s: s, ctx: ctx} }

// Add records a file whose path is e.Path and whose body, of e.Size bytes, is
// read from body as far as probes want it. Whiteout names have no meaning here.
// It fails if body does.
func (b *Builder) Add(e Entry, body io.Reader) error {
	e.Path = path.Clean("/" + e.Path)
	f := &File{Entry: e}
	b.content.events = append(b.content.events, event{kind: add, file: f, path: e.Path})
	return b.probe(f, body)
}

// AddSame records a file with the content that f, of a base image that was read, has
// at the same path.
func (b *Builder) AddSame(e Entry, f *File) {
	e.Path = path.Clean("/" + e.Path)
	for f.Original != nil {
		f = f.Original
	}
	b.content.events = append(b.content.events, event{kind: add, file: &File{Entry: e, Original: f}, path: e.Path})
}

// Remove records that this layer removes what lower layers have at p and below.
func (b *Builder) Remove(p string) { b.event(whiteout, p) }

// Doubt records that this layer may have removed or changed anything at p and below.
func (b *Builder) Doubt(p string) { b.event(perhaps, p) }

// Unseen records that this layer may store files at p and below that are not known.
func (b *Builder) Unseen(p, why string) {
	b.content.unseen = append(b.content.unseen, Unseen{Path: path.Clean("/" + p), Why: why})
}

// Installed records that packages may store files at p and below that are not known.
func (b *Builder) Installed(p, why string) {
	b.content.installed = append(b.content.installed, Unseen{Path: path.Clean("/" + p), Why: why})
}

func (b *Builder) event(k eventKind, p string) {
	b.content.events = append(b.content.events, event{kind: k, path: path.Clean("/" + p)})
}

// Problem records something that could not be read.
func (b *Builder) Problem(p Problem) { b.content.Problems = append(b.content.Problems, p) }

// Content returns what was collected. The Builder must not be used afterwards.
func (b *Builder) Content() *Content {
	b.scratch, b.window = nil, nil
	b.s.spent.Add(b.content.Uncompressed)
	return &b.content
}

// add records one archive entry under its raw name.
func (b *Builder) add(name string, e Entry, body io.Reader) error {
	lim := b.s.Limits
	if len(name) > lim.PathBytes || len(e.Link) > lim.PathBytes {
		b.problem(NotAudited, name[:min(len(name), 80)], fmt.Sprintf("has a name or link target over the limit of %d bytes", lim.PathBytes), "raise it with --max-path-bytes")
		return nil
	}
	if b.names += int64(len(name)); b.names > lim.NameBytes {
		return limitError("bytes of names in one layer", lim.NameBytes, "--max-name-bytes")
	}
	e.Path = path.Clean("/" + name)
	b.odd(name, &e)
	dir, base := path.Split(e.Path)
	switch {
	case base == whiteoutOpaque:
		b.event(opaque, dir)
		return nil
	case strings.HasPrefix(base, whiteoutMeta):
		b.problem(Ambiguous, e.Path, "has a reserved whiteout name; runtimes differ on it", "")
	case strings.HasPrefix(base, whiteoutPrefix):
		switch hidden := strings.TrimPrefix(base, whiteoutPrefix); hidden {
		case "", ".", "..":
			b.problem(Ambiguous, e.Path, "is a whiteout of no name; runtimes refuse the layer", "")
		default:
			b.event(whiteout, dir+hidden)
			if e.Mode.IsDir() || e.Size > 0 {
				b.problem(Remark, e.Path, "is a whiteout but no empty file; runtimes take it for a whiteout", "")
			}
		}
		return nil
	}
	f := &File{Entry: e}
	b.content.events = append(b.content.events, event{kind: add, file: f, path: e.Path})
	return b.probe(f, body)
}

// leavesRoot reports whether a relative reading of name climbs over its start.
func leavesRoot(name string) bool {
	if !strings.Contains(name, "..") {
		return false
	}
	c := path.Clean(strings.TrimLeft(name, "/"))
	return c == ".." || strings.HasPrefix(c, "../")
}

// scratchBytes is the size up to which file content shares one buffer per layer.
const scratchBytes = 64 << 10

// probe offers f's bytes to the probes that want them.
func (b *Builder) probe(f *File, body io.Reader) error {
	if !f.Mode.IsRegular() || f.HardLink || body == nil {
		return nil
	}
	keen, scanners, need := b.interested(f)
	if len(keen)+len(scanners) == 0 {
		return nil
	}
	if limit := b.limit(keen); need > limit {
		need = limit
		b.problem(Remark, f.Path, fmt.Sprintf("only the first %d of its %d bytes were searched", limit, f.Size), "")
	}
	if len(scanners) > 0 && f.Size <= scratchBytes {
		need = f.Size
	}
	buf, release, err := b.buffer(need)
	if err != nil {
		return err
	}
	defer release()
	if _, err := io.ReadFull(body, buf); err != nil {
		return fmt.Errorf("reading %s: %w", f.Path, err)
	}
	for _, p := range keen {
		if v, ok := p.read(f.Entry, buf); ok && b.keep(v) {
			f.facts = append(f.facts, fact{p, v})
		}
	}
	if len(scanners) == 0 {
		return nil
	}
	return b.scan(f, scanners, buf, body)
}

// keep reports whether a fact may be kept: the text in all of them is bounded, over
// all layers.
func (b *Builder) keep(v any) bool {
	text, ok := v.(interface{ Kept() int })
	if !ok || b.s.kept.Add(int64(text.Kept())) <= b.s.Limits.KeptBytes {
		return true
	}
	if !b.full {
		b.full = true
		b.problem(NotAudited, "", fmt.Sprintf("scripts, lists and programs are over the limit of %d bytes of text kept in memory", b.s.Limits.KeptBytes), "raise it with --max-kept-bytes")
	}
	return false
}

// interested returns who wants f's content, in one piece or in windows, and how much
// of it the former need.
func (b *Builder) interested(f *File) (keen, scanners []Reader, need int64) {
	for _, p := range b.s.readers {
		switch {
		case !p.want(&f.Entry):
			continue
		case p.scans():
			scanners = append(scanners, p)
			continue
		}
		keen = append(keen, p)
		if h := p.head(); h > 0 {
			need = max(need, min(h, f.Size))
		} else {
			need = max(need, f.Size)
		}
	}
	return keen, scanners, need
}

// limit is how many bytes of one file are read for the probes that want it.
func (b *Builder) limit(keen []Reader) int64 {
	if slices.ContainsFunc(keen, Reader.whole) {
		return b.s.Limits.InFlight
	}
	return min(b.s.Limits.FileBytes, b.s.Limits.InFlight)
}

// buffer returns n bytes to read into. Large ones count against the memory that
// all layers share.
func (b *Builder) buffer(n int64) ([]byte, func(), error) {
	if n <= scratchBytes {
		if b.scratch == nil {
			b.scratch = make([]byte, scratchBytes)
		}
		return b.scratch[:n], func() {}, nil
	}
	if err := b.s.mem.Acquire(b.ctx, n); err != nil {
		return nil, nil, err
	}
	return make([]byte, n), func() { b.s.mem.Release(n) }, nil
}

func (b *Builder) problem(k ProblemKind, entry, what, hint string) {
	b.Problem(Problem{Kind: k, Layer: -1, Entry: entry, What: what, Hint: hint})
}

// broken records the error that ended the reading of the layer.
func (b *Builder) broken(err error) {
	p := Problem{Kind: NotAudited, Layer: -1, Hint: "get the image again, or rebuild it"}
	p.What = fmt.Sprintf("could not be read to its end; %d entries were%s: %v", len(b.content.events), b.last(), err)
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		p.Hint = hinted.Hint()
	}
	b.Problem(p)
}

// last says which entry was read last; empty if none was.
func (b *Builder) last() string {
	if len(b.content.events) == 0 {
		return ""
	}
	p := b.content.events[len(b.content.events)-1].path
	return fmt.Sprintf(", the last %.80q", p)
}

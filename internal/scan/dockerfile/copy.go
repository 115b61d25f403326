package dockerfile

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/patternmatcher"
)

// A transfer is one COPY or ADD.
type transfer struct {
	l       *layer
	src     *tree  // nil if its files are not known
	origin  string // of src, for messages
	dest    string // absolute
	intoDir bool   // dest is a directory
	owner   string
	mode    modeChange // nil to keep the modes
	exclude *patternmatcher.PatternMatcher
	parents bool
}

// copy predicts a COPY or ADD (buildkit, dockerfile2llb, dispatchCopy; and the
// reference of the Dockerfile format, "COPY").
func (p *predictor) copy(l *layer, s *Step) {
	t := &transfer{l: l, owner: plain(s.owner)}
	words := s.marked
	dest := words[len(words)-1]
	if !isKnown(dest) {
		l.unknownUnder("/", "the destination has a variable without a value")
		return
	}
	t.dest = s.abs(dest)
	t.intoDir = len(words) > 2 || strings.HasSuffix(dest, "/") || dest == "." || strings.HasSuffix(dest, "/.") || l.dir(t.dest)
	if s.mode != "" {
		if t.mode, _ = parseMode(plain(s.mode)); t.mode == nil {
			l.doubt(t.dest, "its mode is not known")
		}
	}
	contents, excludes, unpack := p.source(t, s)
	if len(excludes) > 0 {
		t.exclude, _ = patternmatcher.New(excludes)
	}
	sources := words[:len(words)-1]
	for i, c := range contents {
		t.heredoc(c.Path, s.bodies[i])
	}
	for _, src := range sources[:len(sources)-len(contents)] {
		switch {
		case !isKnown(src):
			l.unknownUnder(t.dest, "a source has a variable without a value")
		case s.Instr.Cmd == "ADD" && remote(src):
			t.fetch(src)
		case unpack && archive(src):
			l.unknownUnder(t.dest, "ADD unpacks an archive there")
		default:
			t.copy(src)
		}
	}
}

// source fills in where the files come from, and returns the heredocs, the
// patterns of --exclude, and whether archives are unpacked.
func (p *predictor) source(t *transfer, s *Step) (contents []instructions.SourceContent, excludes []string, unpack bool) {
	t.src, t.origin = p.ctx, "the build context, which was not given"
	switch c := s.Instr.form.(type) {
	case *instructions.AddCommand:
		unpack = c.Unpack == nil || *c.Unpack
		return c.SourceContents, c.ExcludePatterns, unpack
	case *instructions.CopyCommand:
		contents, excludes, t.parents = c.SourceContents, c.ExcludePatterns, c.Parents
		if c.From == "" {
			break
		}
		if stage := p.b.File.source(s.Stage, c.From); stage != nil {
			t.src, t.origin = p.final(stage), "another stage, whose files are not all known"
		} else {
			t.src, t.origin = p.image(c.From), "another image, which was not read"
			if t.src != nil {
				t.origin = "another image, whose files are not all known"
			}
		}
	}
	return contents, excludes, false
}

// dir reports whether p is a directory.
func (t *tree) dir(p string) bool {
	n := t.at(t.real(p, true))
	return n != nil && n.isDir() || t.standard(p)
}

// copy brings what one source word names.
func (t *transfer) copy(word string) {
	unknown := func() { t.l.unknownUnder(t.dest, "it comes from "+t.origin) }
	if t.src == nil {
		unknown()
		return
	}
	pivot, rest, hasPivot := strings.Cut(word, "/./")
	if hasPivot && t.parents {
		word = pivot + "/" + rest
	}
	found := t.src.glob(path.Clean("/"+word), true, t.l.spend)
	if len(found) == 0 && (t.src.partial || !wild(word)) {
		if !t.src.partial {
			t.origin = "the build context or a stage, which does not hold it"
		}
		unknown()
	}
	for _, p := range found {
		into := t.dest
		if t.parents {
			rel := p
			if hasPivot {
				rel = strings.TrimPrefix(p, path.Clean("/"+pivot))
			}
			into = path.Join(t.dest, rel)
		}
		real := t.src.real(p, true)
		n := t.src.at(real)
		switch {
		case n == nil:
			unknown()
		case n.isDir():
			t.contents(real, n, into)
		case t.parents || !t.intoDir && len(found) == 1:
			t.file(n, into)
		case !t.excluded(path.Base(p)):
			t.file(n, path.Join(into, path.Base(p)))
		}
		for _, u := range t.src.unknown {
			if within(u.Path, real) || within(real, u.Path) {
				t.l.unknownUnder(into, u.Why)
			}
		}
	}
}

// contents copies what is in a directory, not the directory itself.
func (t *transfer) contents(from string, n *node, into string) {
	if n.file == nil && t.src.partial {
		t.l.unknownUnder(into, "it comes from "+t.origin)
	}
	if !t.l.dir(into) {
		d := Add{Mode: fs.ModeDir | 0o755}
		if n.file != nil {
			d = *n.file
		}
		t.store(d, into, n.old)
	}
	n.walk(from, func(p string, k *node) bool {
		rel := strings.TrimPrefix(strings.TrimPrefix(p, from), "/")
		if rel == "" {
			return true
		}
		if t.excluded(rel) {
			return k.isDir() && t.exclude.Exclusions()
		}
		if k.file != nil {
			t.store(*k.file, path.Join(into, rel), k.old)
		}
		return *t.l.left > 0
	})
}

func (t *transfer) excluded(rel string) bool {
	if t.exclude == nil {
		return false
	}
	m, err := t.exclude.MatchesOrParentMatches(rel)
	return err == nil && m
}

func (t *transfer) file(n *node, to string) { t.store(*n.file, to, n.old) }

// store stores a copy of f, with its owner unless --chown gives another.
func (t *transfer) store(f Add, to string, old bool) {
	f.Path = to
	if t.owner != "" {
		f.UID, f.GID, f.User, f.Group = 0, 0, "", ""
		f.own(t.owner)
	}
	if t.mode != nil && f.Mode&fs.ModeSymlink == 0 {
		f.Mode = t.mode(f.Mode)
	}
	t.l.store(f)
	if old {
		t.l.doubt(t.l.real(to, false), "a command of another stage that was not understood may have changed it")
	}
}

// heredoc writes a file that stands in the Dockerfile itself.
func (t *transfer) heredoc(name, body string) {
	f := Add{Mode: 0o644}
	if isKnown(body) {
		f.content(body)
	}
	to := t.dest
	if t.intoDir {
		to = path.Join(to, name)
	}
	t.store(f, to, false)
}

// content gives f the content that the Dockerfile spells out.
func (f *Add) content(text string) {
	f.text, f.Base = &text, nil
	f.Size = int64(len(text))
	f.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// fetch predicts an ADD of a URL: one file, or a repository's.
func (t *transfer) fetch(url string) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") || strings.Contains(url, ".git") {
		t.l.unknownUnder(t.dest, "ADD fetches a repository")
		return
	}
	url, _, _ = strings.Cut(url, "?")
	to := t.dest
	if t.intoDir {
		to = path.Join(to, path.Base(url))
	}
	t.store(Add{Mode: 0o600}, to, false)
}

// remote reports whether ADD fetches a source (buildkit, dfgitutil and isHTTPSource).
func remote(src string) bool {
	for _, scheme := range []string{"http://", "https://", "git://", "ssh://", "git@"} {
		if strings.HasPrefix(src, scheme) {
			return true
		}
	}
	return false
}

// archive reports whether ADD may unpack a source. It goes by the name, where
// BuildKit looks at the bytes.
func archive(src string) bool {
	for _, ext := range []string{".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz", ".tar.zst"} {
		if strings.HasSuffix(strings.ToLower(src), ext) {
			return true
		}
	}
	return false
}

// wild reports whether a source has wildcards.
func wild(src string) bool { return strings.ContainsAny(src, "*?[") }

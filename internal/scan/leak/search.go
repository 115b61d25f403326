package leak

import (
	"bytes"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// perFile is how many credentials are kept of one file.
const perFile = 50

// searched finds credentials by their form in the bytes of any file.
var searched = &image.Probe[[]Credential]{
	Name: "credential", Version: 1, Want: worthSearching,
	Scan: func(e image.Entry, w image.Window, sofar []Credential) ([]Credential, bool) {
		s := sink{kept: sofar}
		s.search(w, generated(e.Path))
		return s.kept, len(s.kept) > 0
	},
}

// worthSearching reports whether a file can hold a credential that a search of its
// bytes would find. What is compressed can't; bytecode and archives are read by what
// is in them.
func worthSearching(e image.Entry) bool {
	return e.Size >= shortest && !compressed[path.Ext(e.Path)] && !isBytecode(e.Path) && !isArchive(e.Path)
}

// compressed are the extensions of formats in which no text stands as it is: media,
// fonts and packed data.
var compressed = extensions(`
	.png .jpg .jpeg .gif .webp .avif .heic .ico .mp3 .mp4 .m4a .ogg .oga .opus .flac .wav .webm .mkv .mov .avi
	.woff .woff2 .ttf .otf .eot .pfb .xz .bz2 .zst .lz4 .lzma .br .7z .rar .deb .rpm .apk .mo .gmo .tfm .pyd`)

func extensions(list string) map[string]bool {
	m := map[string]bool{}
	for ext := range strings.FieldsSeq(list) {
		m[ext] = true
	}
	return m
}

// generated reports whether a file's name says that a tool wrote it, so that what
// looks random under a name tells nothing.
func generated(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".map") || strings.Contains(base, ".min.") || strings.Contains(base, ".bundle.") ||
		strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, "-lock.json") || strings.HasSuffix(base, "-lock.yaml") ||
		base == "go.sum" || base == "npm-shrinkwrap.json" || strings.HasSuffix(base, "sums") || base == "RECORD"
}

// longLine is how long lines of text are that people write.
const longLine = 1000

// patterns are those of which content is searched, by the needles that stand in it.
var patterns = newFilter(secret.Patterns())

// A sink takes in what is found in one file.
type sink struct {
	kept []Credential
}

// search looks through a window of a file.
func (s *sink) search(w image.Window, generated bool) {
	for _, n := range patterns.find(w.Bytes, w.From, w.To, w.Line > 0) {
		if n.pattern.Generic && (generated || w.Line == 0) {
			continue
		}
		h, ok := n.pattern.At(w.Bytes, n.at)
		if !ok || h.Default || n.pattern.Generic && lineLength(w.Bytes, h.Offset) > longLine {
			continue
		}
		c := credential(h, string(w.Bytes[h.Offset:h.Offset+h.Length]))
		c.Form = !n.pattern.Generic && h.Name == ""
		if w.Line > 0 {
			c.Line = w.Line + bytes.Count(w.Bytes[:h.Offset], []byte{'\n'})
		}
		s.add(c)
	}
}

// add keeps c, unless the same value is there already: then the surer of the two.
func (s *sink) add(c Credential) {
	for i, k := range s.kept {
		if k.value != c.value {
			continue
		}
		if c.Confidence > k.Confidence || c.Confidence == k.Confidence && c.Form && !k.Form {
			c.Line = min(c.Line, k.Line)
			s.kept[i] = c
		}
		return
	}
	if len(s.kept) < perFile {
		s.kept = append(s.kept, c)
	}
}

// credential is what is kept of a hit.
func credential(h secret.Hit, value string) Credential {
	return Credential{
		Kind: h.Kind, Reason: h.Reason, Shown: secret.Describe(value), Name: h.Name, Confidence: h.Confidence,
		Form: h.Pattern != "" && h.Name == "", Default: h.Default, value: identify(value),
	}
}

// lineLength is the length of the line that b[i] is in.
func lineLength(b []byte, i int) int {
	l := bytes.LastIndexByte(b[:i], '\n')
	r := bytes.IndexByte(b[i:], '\n')
	if r < 0 {
		r = len(b) - i
	}
	return i + r - l
}

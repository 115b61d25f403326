package python

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// A distribution is what one install brought, as its metadata directory says.
type distribution struct {
	name   string // "requests 2.32.0"
	origin origin
	span   image.Span // of its list of files
}

// origin is where a distribution was installed from.
type origin string

const (
	fromIndex     origin = "from an index" // or from an archive of another host
	fromDirectory origin = "from a local path"
	fromVCS       origin = "from version control"
	asEditable    origin = "in editable mode"
)

// records keeps the paths of possible sources, and of archives and the like that
// may hold some, that a RECORD lists (PyPA, "Recording
// installed projects"), one a line, as written: relative to the directory that
// holds the .dist-info, or absolute.
var records = &image.Probe[packed.Text]{
	Name: "python-record", Version: 2,
	Want: func(e image.Entry) bool {
		return path.Base(e.Path) == "RECORD" && path.Ext(path.Dir(e.Path)) == ".dist-info"
	},
	Read: func(_ image.Entry, b []byte) (packed.Text, bool) {
		r := csv.NewReader(bytes.NewReader(b))
		r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
		var out bytes.Buffer
		for {
			row, err := r.Read()
			if err != nil {
				return packed.Pack(out.Bytes()), true // io.EOF, or a line no installer writes
			}
			keepSource(&out, row[0])
		}
	},
}

// installedFiles keeps the same of the list that setup.py wrote; its paths are
// relative to the .egg-info itself.
var installedFiles = &image.Probe[packed.Text]{
	Name: "python-installed-files", Version: 2,
	Want: func(e image.Entry) bool { return eggInfo(e.Path, "installed-files.txt") },
	Read: func(_ image.Entry, b []byte) (packed.Text, bool) {
		var out bytes.Buffer
		for line := range strings.Lines(string(b)) {
			keepSource(&out, strings.TrimSpace(line))
		}
		return packed.Pack(out.Bytes()), true
	},
}

// topLevels keeps the names of the modules that an .egg-info describes.
var topLevels = &image.Probe[packed.Text]{
	Name: "python-top-level", Version: 1,
	Want: func(e image.Entry) bool { return eggInfo(e.Path, "top_level.txt") },
	Read: func(_ image.Entry, b []byte) (packed.Text, bool) { return packed.Pack(b), len(b) > 0 },
}

// eggInfo reports whether p is the file called base of an .egg-info directly in a
// site directory. One elsewhere describes the source tree that it lies in.
func eggInfo(p, base string) bool {
	dir, name := path.Split(p)
	if name != base {
		return false
	}
	_, rest, ok := siteDir(p)
	return ok && path.Ext(path.Clean(dir)) == ".egg-info" && strings.Count(rest, "/") == 1
}

func keepSource(out *bytes.Buffer, p string) {
	if ext := path.Ext(p); p == "" || ext != ".py" && ext != ".pyw" && telling(p) && !shipped(p) || strings.Contains(p, "\n") {
		return
	}
	out.WriteString(p)
	out.WriteByte('\n')
}

// A direct is where a distribution came from, if it was from no index.
type direct struct {
	origin origin
	path   string // of a directory or archive on the machine that installed it; else empty
}

// local returns the path in a file URL (RFC 8089); empty if u is none.
func local(u string) string {
	if parsed, err := url.Parse(u); err == nil && parsed.Scheme == "file" && path.IsAbs(parsed.Path) {
		return path.Clean(parsed.Path)
	}
	return ""
}

// directURLs reads where a distribution came from, if it was from no index
// (PyPA, "Recording the direct URL origin of installed distributions").
var directURLs = &image.Probe[direct]{
	Name: "python-direct-url", Version: 2,
	Want: func(e image.Entry) bool {
		return path.Base(e.Path) == "direct_url.json" && path.Ext(path.Dir(e.Path)) == ".dist-info"
	},
	Read: func(_ image.Entry, b []byte) (direct, bool) {
		var d struct {
			URL string `json:"url"`
			Dir *struct {
				Editable bool `json:"editable"`
			} `json:"dir_info"`
			VCS *struct{} `json:"vcs_info"`
		}
		if json.Unmarshal(b, &d) != nil {
			return direct{}, false
		}
		switch {
		case d.Dir != nil && d.Dir.Editable:
			return direct{asEditable, local(d.URL)}, true
		case d.Dir != nil, strings.HasPrefix(d.URL, "file:"):
			return direct{fromDirectory, local(d.URL)}, true
		case d.VCS != nil:
			return direct{fromVCS, ""}, true
		}
		return direct{fromIndex, ""}, true
	},
}

// distributions finds what was installed, and which of the image's sources it lists.
func (inv *Inventory) distributions(img *image.Image) {
	direct := map[string][]*image.File{} // by .dist-info
	for f := range directURLs.Facts(img) {
		dir := path.Dir(f.Path)
		direct[dir] = append(direct[dir], f)
	}
	for f, text := range records.Facts(img) {
		dir := path.Dir(f.Path)
		d := newDistribution(f, dir)
		for _, u := range direct[dir] {
			if from, _ := directURLs.Of(u); u.Span().Overlaps(d.span) {
				d.origin = from.origin
			}
		}
		inv.list(d, path.Dir(dir), text)
	}
	exact := map[string]bool{}
	for f, text := range installedFiles.Facts(img) {
		dir := path.Dir(f.Path)
		exact[dir] = true
		inv.list(newDistribution(f, dir), dir, text)
	}
	for f, text := range topLevels.Facts(img) {
		dir := path.Dir(f.Path)
		if exact[dir] {
			continue
		}
		d := newDistribution(f, dir)
		inv.introduce(d)
		for name := range strings.FieldsSeq(text.String()) {
			module := path.Join(path.Dir(dir), name)
			inv.named[module] = append(inv.named[module], d)
		}
	}
}

// list notes that d lists the paths of text, relative to base.
func (inv *Inventory) list(d *distribution, base string, text packed.Text) {
	inv.introduce(d)
	for line := range strings.Lines(text.String()) {
		p := strings.TrimSuffix(line, "\n")
		if !path.IsAbs(p) {
			p = path.Join(base, p)
		}
		if old, there := inv.listed[path.Clean(p)]; there {
			inv.listed[path.Clean(p)] = append(old, d)
		}
	}
}

func (inv *Inventory) introduce(d *distribution) {
	name, _, _ := strings.Cut(d.name, " ")
	inv.origins[normalize(name)] = append(inv.origins[normalize(name)], d)
}

// newDistribution names a distribution by its metadata directory:
// requests-2.32.0.dist-info.
func newDistribution(f *image.File, dir string) *distribution {
	base := path.Base(dir)
	name, version, _ := strings.Cut(strings.TrimSuffix(base, path.Ext(base)), "-")
	return &distribution{name: strings.TrimSpace(name + " " + version), origin: fromIndex, span: f.Span()}
}

var separators = regexp.MustCompile(`[-_.]+`)

// normalize returns a distribution's name as indexes compare it (PEP 503).
func normalize(name string) string {
	return separators.ReplaceAllString(strings.ToLower(name), "-")
}

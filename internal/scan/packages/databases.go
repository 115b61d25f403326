package packages

import (
	"encoding/json"
	"iter"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// dpkg lists each package's files in info/PACKAGE.list (dpkg, "lib/dpkg/files").
var dpkg = &database{
	manager: "dpkg",
	probe: &image.Probe[listing]{Name: "dpkg", Version: 1, Read: keep, Want: func(e image.Entry) bool {
		return path.Ext(e.Path) == ".list" && path.Dir(e.Path) == "/var/lib/dpkg/info"
	}},
	owned: func(file, text string) iter.Seq[owned] {
		pkg := debian(file)
		return func(yield func(owned) bool) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSuffix(line, "\n"); line != "/." && !yield(owned{pkg, line, anyBits}) {
					return
				}
			}
		}
	},
}

// dpkgSums is all that images without a package manager keep of dpkg's database:
// lines of a digest, two spaces and a relative path (md5sum(1)).
var dpkgSums = &database{
	manager: "dpkg",
	probe: &image.Probe[listing]{Name: "dpkg-md5sums", Version: 1, Read: keep, Want: func(e image.Entry) bool {
		dir, base := path.Split(e.Path)
		return path.Ext(base) == ".md5sums" && (dir == "/var/lib/dpkg/info/" || dir == "/var/lib/dpkg/status.d/")
	}},
	owned: func(file, text string) iter.Seq[owned] {
		pkg := debian(file)
		return func(yield func(owned) bool) {
			for line := range strings.Lines(text) {
				_, p, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
				if ok && !yield(owned{pkg, "/" + strings.TrimPrefix(p, "/"), anyBits}) {
					return
				}
			}
		}
	},
}

// debian is the package whose list a file is: "libc6:amd64.list".
func debian(file string) string {
	base := path.Base(file)
	pkg, _, _ := strings.Cut(strings.TrimSuffix(base, path.Ext(base)), ":")
	return pkg
}

// pacman lists each package's files in local/NAME-VERSION-RELEASE/files, under
// %FILES% and as relative paths (libalpm, "be_local.c").
var pacman = &database{
	manager: "pacman",
	probe: &image.Probe[listing]{Name: "pacman", Version: 1, Read: keep, Want: func(e image.Entry) bool {
		dir, base := path.Split(e.Path)
		return base == "files" && path.Dir(path.Clean(dir)) == "/var/lib/pacman/local"
	}},
	owned: func(file, text string) iter.Seq[owned] {
		parts := strings.Split(path.Base(path.Dir(file)), "-")
		pkg := strings.Join(parts[:max(len(parts)-2, 1)], "-")
		return func(yield func(owned) bool) {
			files := false
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				switch {
				case strings.HasPrefix(line, "%"):
					files = line == "%FILES%"
				case files && line != "" && !strings.HasSuffix(line, "/"):
					if !yield(owned{pkg, "/" + line, anyBits}) {
						return
					}
				}
			}
		}
	},
}

// conda describes each package of an environment in conda-meta/NAME-VERSION-BUILD.json
// (conda, "core/prefix_data.py"): "files" are relative to the environment. What is
// kept is the package's name and the paths, one a line.
var conda = &database{
	manager: "conda",
	probe: &image.Probe[listing]{Name: "conda", Version: 1, Read: readConda, Want: func(e image.Entry) bool {
		return path.Ext(e.Path) == ".json" && path.Base(path.Dir(e.Path)) == "conda-meta"
	}},
	owned: func(file, text string) iter.Seq[owned] {
		prefix := path.Dir(path.Dir(file))
		pkg, files, _ := strings.Cut(text, "\n")
		return func(yield func(owned) bool) {
			for line := range strings.Lines(files) {
				if !yield(owned{pkg, path.Join(prefix, strings.TrimSuffix(line, "\n")), anyBits}) {
					return
				}
			}
		}
	},
}

// readConda keeps nothing of a package that was built on the spot and comes from no
// channel.
func readConda(e image.Entry, b []byte) (listing, bool) {
	if int64(len(b)) < e.Size {
		return listing{cut: true}, true
	}
	var meta struct {
		Name  string   `json:"name"`
		URL   string   `json:"url"`
		Files []string `json:"files"`
	}
	if json.Unmarshal(b, &meta) != nil || meta.Name == "" || strings.HasPrefix(meta.URL, "file:") {
		return listing{}, false
	}
	return listing{text: packed.Pack([]byte(meta.Name + "\n" + strings.Join(meta.Files, "\n")))}, true
}

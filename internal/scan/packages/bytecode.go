package packages

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// SourceOf returns the path of the source that a bytecode file stands for: beside
// the file, or beside the __pycache__ that holds it (PEP 3147, PEP 488;
// importlib.util.source_from_cache). It is not ok for what is no bytecode by its
// name. Lists of packages tell of sources, seldom of bytecode.
func SourceOf(p string) (source string, ok bool) {
	dir, base := path.Split(p)
	if path.Ext(base) != ".pyc" {
		return "", false
	}
	dir = path.Clean(dir)
	if path.Base(dir) != "__pycache__" {
		return strings.TrimSuffix(p, "c"), true
	}
	parts := strings.Split(base, ".") // module, interpreter, perhaps optimization, "pyc"
	if len(parts) != 3 && (len(parts) != 4 || !strings.HasPrefix(parts[2], "opt-")) || parts[0] == "" {
		return "", false
	}
	return path.Join(path.Dir(dir), parts[0]+".py"), true
}

// During returns who owned path while f was there.
func (o *Owners) During(path string, f *image.File) (Owner, bool) { return o.at(path, f.Span()) }

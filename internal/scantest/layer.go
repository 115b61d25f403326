package scantest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages/rpmdb/rpmtest"
)

// packLayer makes a layer archive of the files of a fixture, in their order. Each
// name may be followed by attributes:
//
//	mode=4755 uid=1000 gid=1000   as in a tar header; 0644 (0755 for a directory), 0 and 0 by default
//	link=TARGET hardlink=TARGET   a symbolic or a hard link instead of a file
//	dir                           a directory
//	xattr.NAME=VALUE              an extended attribute, Go-quoted if it needs escapes
//	from=FILE                     the body comes from a file beside the fixture
//	rpmdb=FORMAT                  the body is what a database of rpm holds: see rpmtest.Database
func packLayer(dir string, files []txtar.File) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		name, attrs, _ := strings.Cut(f.Name, " ")
		h := &tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		body := f.Data
		for _, a := range strings.Fields(attrs) {
			if err := attribute(h, a, dir, &body); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", f.Name, a, err)
			}
		}
		if h.Typeflag != tar.TypeReg {
			body = nil
		}
		h.Size = int64(len(body))
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if _, err := w.Write(body); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func attribute(h *tar.Header, a, dir string, body *[]byte) (err error) {
	k, v, _ := strings.Cut(a, "=")
	switch {
	case k == "mode":
		h.Mode, err = strconv.ParseInt(v, 8, 64)
	case k == "uid":
		h.Uid, err = strconv.Atoi(v)
	case k == "gid":
		h.Gid, err = strconv.Atoi(v)
	case k == "link":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, v, 0o777
	case k == "hardlink":
		h.Typeflag, h.Linkname = tar.TypeLink, v
	case k == "dir":
		h.Typeflag = tar.TypeDir
		if h.Mode == 0o644 {
			h.Mode = 0o755
		}
	case k == "from":
		*body, err = os.ReadFile(filepath.Join(dir, v))
	case k == "rpmdb":
		var db string
		db, err = rpmtest.Database(v, string(*body))
		*body = []byte(db)
	case strings.HasPrefix(k, "xattr."):
		if unquoted, err := strconv.Unquote(v); err == nil {
			v = unquoted
		}
		if h.PAXRecords == nil {
			h.PAXRecords = map[string]string{}
		}
		h.PAXRecords["SCHILY."+k] = v
	default:
		err = fmt.Errorf("unknown attribute")
	}
	return err
}

package rpmdb_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages/rpmdb"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages/rpmdb/rpmtest"
)

var formats = []string{"sqlite", "ndb", "bdb"}

// read renders what a database holds, and its errors.
func read(b []byte) (files, errs []string) {
	for p, err := range rpmdb.Packages(b) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		files = append(files, p.Name)
		for f := range p.Files() {
			files = append(files, fmt.Sprintf("%s %s%s", f.Mode, f.Dir, f.Base))
		}
	}
	return files, errs
}

func made(t testing.TB, format, records string) []byte {
	t.Helper()
	db, err := rpmtest.Database(format, records)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(db)
}

const sample = `P:setup
F:/etc
R:passwd
P:gpg-pubkey
P:sudo
F:/usr/bin
R:sudo
a:0:0:4111
R:write
a:0:5:2755
F:/etc/sudoers.d
R:README
`

// large is a package whose header is larger than any page.
func large() string {
	var b strings.Builder
	b.WriteString("P:large\nF:/usr/lib/python3.12/site-packages/large\n")
	for i := range 60 {
		fmt.Fprintf(&b, "R:module_%d.py\n", i)
	}
	return b.String()
}

func TestPackages(t *testing.T) {
	want := []string{
		"setup", "-rw-r--r-- /etc/passwd", "gpg-pubkey",
		"sudo", "u--x--x--x /usr/bin/sudo", "grwxr-xr-x /usr/bin/write", "-rw-r--r-- /etc/sudoers.d/README", "large",
	}
	for i := range 60 {
		want = append(want, fmt.Sprintf("-rw-r--r-- /usr/lib/python3.12/site-packages/large/module_%d.py", i))
	}
	for _, format := range formats {
		got, errs := read(made(t, format, sample+large()))
		if !slices.Equal(got, want) || errs != nil {
			t.Errorf("%s: got %.600q, errors %.300q", format, got, errs)
		}
		if got, errs := read(made(t, format, "")); got != nil || errs != nil {
			t.Errorf("%s: an empty database has %q, errors %q", format, got, errs)
		}
	}
}

// What a damaged database still holds is told, and so is that something is missing.
func TestDamage(t *testing.T) {
	for _, format := range formats {
		db := made(t, format, sample+large())
		got, errs := read(db[:len(db)-700])
		if len(errs) == 0 || !slices.Contains(got, "sudo") {
			t.Errorf("%s, cut short: got %d lines, errors %q", format, len(got), errs)
		}
	}
	for _, b := range []string{"", "SQLite format 3\x00", "RpmP", strings.Repeat("\x00", 4096)} {
		if got, errs := read([]byte(b)); got != nil || len(errs) != 1 {
			t.Errorf("%.20q: got %q, errors %q", b, got, errs)
		}
	}
}

// A page that leads back to itself ends the reading, and so do slots that all lead to
// one large header.
func TestLoops(t *testing.T) {
	db := made(t, "sqlite", sample)
	root := db[512:1024]
	for i := range 3 {
		at := binary.BigEndian.Uint16(root[12+2*i:])
		binary.BigEndian.PutUint32(root[at:], 2)
		if i == 2 {
			binary.BigEndian.PutUint32(root[8:], 2)
		}
	}
	if _, errs := read(db); len(errs) == 0 {
		t.Error("sqlite: a tree that is its own branch is not told")
	}
	db = made(t, "ndb", large())
	for i := 48; i < 4096; i += 16 {
		copy(db[i:], db[32:48])
	}
	if got, errs := read(db); len(errs) != 1 || len(got) > 5*61 {
		t.Errorf("ndb: one header is read again and again: %d lines, errors %q", len(got), errs)
	}
	db = made(t, "bdb", large())
	binary.LittleEndian.PutUint32(db[1024+16:], 2)
	if got, _ := read(db); len(got) > 5*61 {
		t.Errorf("bdb: %d lines of one header", len(got))
	}
}

func FuzzPackages(f *testing.F) {
	for _, format := range formats {
		db, err := rpmtest.Database(format, sample+large())
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(db))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		for p, err := range rpmdb.Packages(b) {
			if n++; err == nil && p.Name == "" {
				t.Error("a package without a name")
			}
			for file := range p.Files() {
				if n++; !strings.HasPrefix(file.Dir, "/") || file.Base == "" {
					t.Errorf("%q%q is no path", file.Dir, file.Base)
				}
			}
		}
		if n > 2*len(b)+2 {
			t.Errorf("%d bytes hold %d things", len(b), n)
		}
	})
}

package python_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// A program that is a zip file behind a first line is an archive and no source. How
// much of it is source is told as far as its beginning goes.
func TestZipApps(t *testing.T) {
	inv, img := scantest.Fact(t, `
-- 1/opt/agent mode=0755 --
#!/usr/bin/env python3
{{zip "agent/__init__.py" "" "agent/main.py" "x = 1" "__main__.py" "import agent"}}
-- 1/opt/compiled mode=0755 --
#!/usr/bin/env python3
{{zip "__main__.pyc" "x"}}
-- 1/opt/shell mode=0755 --
#!/bin/sh
{{zip "__main__.py" "x"}}
-- 1/opt/script mode=0755 --
#!/usr/bin/env python3
data = "PK"
-- 1/usr/local/lib/python3.13/site-packages/tool-1.dist-info/RECORD --
../../../bin/tool,,
-- 1/usr/local/bin/tool mode=0755 --
#!/usr/bin/env python3
{{zip "__main__.py" "x"}}
`, python.Fact)
	var got []string
	for _, a := range inv.Archives() {
		got = append(got, fmt.Sprintf("%s: %s, %d, %q, %v", a.File.Path, a.Class, a.Sources, a.First, a.Partial))
	}
	want := []string{
		`/opt/agent: first party, 3, "agent/__init__.py", true`,
		`/opt/compiled: first party, 0, "", true`,
		`/usr/local/bin/tool: third party, 1, "__main__.py", true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for p, want := range map[string]python.Class{"/opt/agent": python.NotPython, "/opt/script": python.FirstParty} {
		if got := inv.Class(img.Lookup(p)); got != want {
			t.Errorf("%s is %s, want %s", p, got, want)
		}
	}
}

// A tar file need not be compressed; bzip2 is read too.
func TestTarFiles(t *testing.T) {
	// A tar of src/a.py, which holds "x = 1".
	const bzipped = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x02\x61\xb2\x21\x00\x00\x73\x7b\x80\xc9\x90\x00\x04\x40\x01\xfd\x82\x00\x40\x68\x00\x5e\x60\x08\x08\x20\x00\x54\x34\xa7\xa8\x1e\x93\x4c\x46\x86\xd1\x3d\x4d\x04\x94\x41\xea\x1a\x68\xd0\x0d\x0d\x1f\x52\x03\xd0\x81\xab\x42\x11\x19\xca\xe3\x48\x5e\xc8\x10\xe0\x93\xcd\xa9\xd4\xf5\x61\x5a\xe1\x05\x32\x07\x8c\x68\xb2\x8f\x68\x88\x61\x5b\xaa\xc9\xad\xf1\xb5\xee\xf2\x22\x03\xf1\x77\x24\x53\x85\x09\x00\x26\x1b\x22\x10"
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	if err := w.WriteHeader(&tar.Header{Name: "src/a.py", Mode: 0o644, Size: 6}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x = 1\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	inv, _ := scantest.Fact(t, "-- 1/srv/src.tar --\n"+plain.String()+"\n-- 1/srv/old.tar.bz2 --\n"+bzipped+"\n-- 1/srv/no.tar --\nplain text\n", python.Fact)
	var got []string
	for _, a := range inv.Archives() {
		got = append(got, fmt.Sprintf("%s: %d %s", a.File.Path, a.Sources, a.First))
	}
	if want := []string{"/srv/src.tar: 1 src/a.py", "/srv/old.tar.bz2: 1 src/a.py"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

package source_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestRootfs(t *testing.T) {
	dir := unpack(t, file("etc/passwd", "root:x:0:0::/:/bin/sh\n"), file("bin/sh", "x"))
	outside := store(t, "outside", []byte("outside"))
	if err := os.Symlink(outside, filepath.Join(dir, "etc/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "way-out")); err != nil {
		t.Fatal(err)
	}
	o := options(t)
	seen := map[string]string{}
	o.Scanner = image.NewScanner([]image.Reader{&image.Probe[bool]{
		Name: "all", Want: func(image.Entry) bool { return true },
		Read: func(e image.Entry, b []byte) (bool, bool) { seen[e.Path] = string(b); return true, true },
	}}, limits.Default())
	want := "rootfs  : 0/bin 0/bin/sh 0/etc 0/etc/link 0/etc/passwd 0/way-out\n" +
		"  remark: a directory has no config: user, environment and command are unknown\n"
	if got := describe(t, dir, o); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if len(seen) != 2 || seen["/bin/sh"] != "x" || seen["/etc/passwd"] == "" {
		t.Errorf("read %q", seen)
	}
}

func TestOpenFinds(t *testing.T) {
	archive := pack(t, save([]string{"x:1"}, layer(t, "a"))...)
	plain := store(t, "x.tar", archive)
	atName := store(t, "x@1.tar", archive) // an @ of the file's own
	l := newLayout()
	dir := unpack(t, l.with(named(l.image("linux/amd64", layer(t, "a")), "x:1"))...)
	root := unpack(t, file("usr/bin/x", "x"))
	for _, tt := range []struct{ target, from, kind string }{
		{plain, "", "docker-archive"},
		{plain + "@x:1", "archive", "docker-archive"},
		{atName, "", "docker-archive"},
		{atName + "@x:1", "", "docker-archive"},
		{"-", "", "docker-archive"},
		{"-@x:1", "", "docker-archive"},
		{"-", "archive", "docker-archive"},
		{dir, "", "oci-layout"},
		{dir + "@x:1", "oci", "oci-layout"},
		{root, "", "rootfs"},
		{dir, "rootfs", "rootfs"},
	} {
		o := options(t)
		o.From, o.Stdin = tt.from, bytes.NewReader(archive)
		if got := open(t, tt.target, o).Sources[0]; got.Kind != tt.kind || got.Name != tt.target {
			t.Errorf("%s --from %s: got %s %s", tt.target, tt.from, got.Kind, got.Name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := unpack(t, file("src/main.py", "x"))
	archive := store(t, "x.tar", pack(t, save(nil)...))
	for _, tt := range []struct{ name, target, from, want, hint string }{
		{"directory of something else", dir, "", "neither an OCI layout nor a root filesystem", "--from docker"},
		{"directory that is no layout", dir, "oci", "is no OCI layout", "--from rootfs"},
		{"missing archive", "gone.tar", "", "no such file", "image reference"},
		{"missing path", "./gone", "", "no such file", "image reference"},
		{"missing archive, told", "gone", "archive", "no such file", ""},
		{"file as a root filesystem", archive, "rootfs", "not a directory", ""},
		{"containerd", "x:1", "containerd", "containerd is not supported yet", "ctr image export"},
		{"misspelt place", "x:1", "dokcer", `"dokcer" is nowhere`, "did you mean --from docker?"},
		{"unheard-of place", "x:1", "floppy", `"floppy" is nowhere`, "one of archive, oci"},
		{"no reference", "Not An Image", "", "no image reference", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t)
			o.From = tt.from
			if hint, err := refused(t, tt.target, o); !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint, tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

func TestPlatformSyntax(t *testing.T) {
	for _, p := range []string{"arm64", "linux/", "linux/arm/v7/x", "/amd64"} {
		o := options(t)
		o.Platform = p
		if _, err := source.Open(t.Context(), "x:1", o); err == nil || !strings.Contains(err.Error(), "is no platform") {
			t.Errorf("%s: got %v", p, err)
		}
	}
}

func TestLooks(t *testing.T) {
	archive := pack(t, save(nil, layer(t, "a"))...)
	old := bytes.Clone(archive[:512])
	copy(old[257:265], "\x00\x00\x00\x00\x00\x00\x00\x00") // as before the magic word
	sum := 0
	for i, c := range old {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int(c)
	}
	copy(old[148:], octal(sum)[5:11]+"\x00 ")
	for _, tt := range []struct {
		name string
		head []byte
		want source.Kind
	}{
		{"tar", archive, source.Tar},
		{"old tar", old, source.Tar},
		{"tar without members", make([]byte, 1024), source.Tar},
		{"gzip", gz(archive), source.Gzip},
		{"zstd", zst(archive), source.Zstd},
		{"zstd behind a skippable frame", []byte("\x5f\x2a\x4d\x18\x00\x00\x00\x00"), source.Zstd},
		{"Dockerfile", []byte("# syntax=x\nFROM scratch\n"), source.Text},
		{"text cut within a character", append(bytes.Repeat([]byte("x"), 511), "\xc3\xa4"...), source.Text},
		{"nothing", nil, source.Text},
		{"binary", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"), source.Unknown},
		{"zeros", make([]byte, 100), source.Unknown},
	} {
		if got := source.Looks(tt.head); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

package image

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestOddEntries(t *testing.T) {
	capability := func(v string) tar.Header {
		return tar.Header{Name: "bin/a", Typeflag: tar.TypeReg, PAXRecords: map[string]string{"SCHILY.xattr.security.capability": v}}
	}
	for _, tt := range []struct {
		name string
		h    tar.Header
		want string // of the problem; empty for none
	}{
		{"file", tar.Header{Name: "etc/passwd", Typeflag: tar.TypeReg}, ""},
		{"path over the root", tar.Header{Name: "a/../../b", Typeflag: tar.TypeReg}, "leaves the image root"},
		{"longest name", tar.Header{Name: "d/" + strings.Repeat("n", 255), Typeflag: tar.TypeReg}, ""},
		{"name too long", tar.Header{Name: "d/" + strings.Repeat("n", 256), Typeflag: tar.TypeReg}, "name of over 255 bytes"},
		{"below a whiteout", tar.Header{Name: ".wh.d/a", Typeflag: tar.TypeReg}, "below a whiteout name"},
		{"disk", tar.Header{Name: "opt/sda", Typeflag: tar.TypeBlock}, "device outside of /dev"},
		{"device", tar.Header{Name: "devices/mem", Typeflag: tar.TypeChar}, "device outside of /dev"},
		{"device in /dev", tar.Header{Name: "dev/null", Typeflag: tar.TypeChar}, ""},
		{"pipe", tar.Header{Name: "run/p", Typeflag: tar.TypeFifo}, ""},
		{"capabilities, version 2", capability("\x01\x00\x00\x02" + strings.Repeat("\x00", 16)), ""},
		{"capabilities, version 3", capability("\x01\x00\x00\x03" + strings.Repeat("\x00", 20)), ""},
		{"capabilities, version 3 with the length of 2", capability("\x01\x00\x00\x03" + strings.Repeat("\x00", 16)), "file capabilities of 20 bytes"},
		{"capabilities, cut", capability("\x01\x00"), "file capabilities of 2 bytes"},
		{"capabilities, version 9", capability("\x01\x00\x00\x09"), "file capabilities of 4 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			if err := w.WriteHeader(&tt.h); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			c := scan(t, limits.Default(), &b)
			if tt.want == "" && len(c.Problems) == 0 {
				return
			}
			if len(c.Problems) != 1 || c.Problems[0].Kind != Ambiguous || tt.want == "" || !strings.Contains(c.Problems[0].What, tt.want) {
				t.Errorf("got %v, want %q", c.Problems, tt.want)
			}
			if len(c.events) != 1 {
				t.Errorf("got %d entries", len(c.events))
			}
		})
	}
}

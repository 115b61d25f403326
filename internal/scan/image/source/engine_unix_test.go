//go:build unix

package source_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestEngineNoSocket(t *testing.T) { // E2
	dir := t.TempDir()
	rewrite(t, dir, "file", "")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"file", "does not answer: it is a regular file, not a socket"},
		{"pipe", "does not answer: it is a FIFO, not a socket"},
		{"", "does not answer: it is a directory, not a socket"},
		{"none", "does not answer: dial unix"},
	} {
		o := in(t, map[string]string{"DOCKER_HOST": "unix://" + dir + "/" + tt.name}, dir)
		o.From = "docker"
		if _, err := refused(t, "x:1", o); !strings.Contains(err.Error(), "unix://"+dir+"/"+tt.name+" "+tt.want) {
			t.Error(err)
		}
	}
}

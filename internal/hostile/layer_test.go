package hostile

import (
	"archive/tar"
	"bytes"
	"testing"
)

// layerOf makes an archive of files, given by name and content.
func layerOf(t testing.TB, namesAndBodies ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(namesAndBodies); i += 2 {
		body := namesAndBodies[i+1]
		if err := w.WriteHeader(&tar.Header{Name: namesAndBodies[i], Mode: 0o644, Size: int64(len(body))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

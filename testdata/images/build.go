//go:build ignore

// Build writes the image that a fixture describes to standard output, as the
// archive an engine would save:
//
//	go run testdata/images/build.go testdata/images/whole/leaky.txtar > leaky.tar
//
// Secrets in it are made up at every run.
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("build: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run testdata/images/build.go FIXTURE > image.tar")
	}
	f, err := scantest.Read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if f.Image == nil {
		log.Fatalf("%s describes a Dockerfile, not an image", os.Args[1])
	}
	tag := strings.TrimSuffix(filepath.Base(os.Args[1]), ".txtar") + ":latest"
	if err := f.Image.OCIArchive(os.Stdout, tag, scantest.Gzip, true); err != nil {
		log.Fatal(err)
	}
}

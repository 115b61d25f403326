//go:build ignore

// Build writes the image that a fixture describes to standard output, as the
// archive an engine would save; or, for measurements, one of a number of megabytes:
//
//	go run testdata/images/build.go testdata/images/whole/leaky.txtar > leaky.tar
//	go run testdata/images/build.go -megabytes 500 > big.tar
//
// Secrets in it are made up at every run.
package main

import (
	"errors"
	"flag"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("build: ")
	megabytes := flag.Int64("megabytes", 0, "size of a large image to make, uncompressed")
	flag.Parse()
	if err := build(*megabytes, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func build(megabytes int64, args []string) error {
	switch {
	case megabytes > 0 && len(args) == 0:
		img, err := scantest.Big(megabytes << 20)
		if err != nil {
			return err
		}
		return img.OCIArchive(os.Stdout, "big:latest", scantest.Gzip, true)
	case len(args) != 1:
		return errors.New("usage: go run testdata/images/build.go FIXTURE > image.tar")
	}
	f, err := scantest.Read(args[0])
	if err != nil {
		return err
	}
	if f.Image == nil {
		return errors.New(args[0] + " describes a Dockerfile, not an image")
	}
	tag := strings.TrimSuffix(filepath.Base(args[0]), ".txtar") + ":latest"
	return f.Image.OCIArchive(os.Stdout, tag, scantest.Gzip, true)
}

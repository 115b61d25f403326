package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sandbox-audit": main, "docker-sandboxaudit": main, "docker-sandbox-audit": main, "sandbox-audit-on": mainOn})
}

// mainOn is main on another day: its first argument is the date.
func mainOn() {
	day, err := time.Parse(time.DateOnly, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	proc := process{os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Environ, func() time.Time { return day.Add(23 * time.Hour) }}
	os.Exit(run(context.Background(), os.Args[2:], proc))
}

// TestScript runs the command line as users do. Scripts have, besides
// testscript's own commands:
//
//	image FIXTURE FORM FILE [TAG]   make the image of a fixture as docker, docker-oci, oci-archive, oci-gzip, oci-zstd or oci-dir
//	dockerfile FIXTURE FILE         write its Dockerfile
//	registry FIXTURE REPO:TAG       serve it from a registry, whose address is in $REGISTRY
//	attest LAYOUT DOCKERFILE LINE...  attach provenance: the Dockerfile, and the line behind each layer, 0 if it is the base's
//	sandbox-audit-on DATE ...       run the program on another day
//	secrets FILE...                 no file may hold a secret that image or registry made
func TestScript(t *testing.T) {
	root, err := filepath.Abs("../../testdata/images")
	if err != nil {
		t.Fatal(err)
	}
	bases, err := filepath.Abs("testdata/fixtures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			reg := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
			env.Defer(reg.Close)
			env.Setenv("REGISTRY", strings.TrimPrefix(reg.URL, "http://"))
			env.Setenv("FIXTURES", root)
			env.Setenv("BASES", bases)
			env.Setenv(cacheVariable, filepath.Join(env.WorkDir, ".tmp", "cache"))
			env.Setenv("DOCKER_HOST", "unix://"+filepath.Join(env.WorkDir, "no-docker.sock"))
			env.Setenv("CONTAINER_HOST", "unix://"+filepath.Join(env.WorkDir, "no-podman.sock"))
			env.Values["secrets"] = &[]string{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"image": makeImage, "dockerfile": writeDockerfile, "registry": serveImage, "secrets": findSecrets, "attest": attestImage,
		},
	})
}

func fixture(ts *testscript.TestScript, name string) *scantest.Fixture {
	f, err := scantest.Read(ts.MkAbs(name))
	ts.Check(err)
	secrets := ts.Value("secrets").(*[]string)
	*secrets = append(*secrets, f.Secrets.All()...)
	return f
}

func makeImage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: image FIXTURE FORM FILE [TAG]")
	}
	img, tag := fixture(ts, args[0]).Image, ""
	if len(args) == 4 {
		tag = args[3]
	}
	to := ts.MkAbs(args[2])
	if args[1] == "oci-dir" {
		ts.Check(img.OCILayout(to, tag, scantest.Gzip))
		return
	}
	w, err := os.Create(to)
	ts.Check(err)
	switch args[1] {
	case "docker":
		err = img.DockerSave(w, tag)
	case "docker-oci":
		err = img.OCIArchive(w, tag, scantest.Gzip, true)
	case "oci-archive":
		err = img.OCIArchive(w, tag, scantest.Plain, false)
	case "oci-gzip":
		err = img.OCIArchive(w, tag, scantest.Gzip, false)
	case "oci-zstd":
		err = img.OCIArchive(w, tag, scantest.Zstd, false)
	default:
		err = fmt.Errorf("unknown form %q", args[1])
	}
	ts.Check(err)
	ts.Check(w.Close())
}

func writeDockerfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dockerfile FIXTURE FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), fixture(ts, args[0]).Dockerfile, 0o644))
}

func serveImage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: registry FIXTURE REPO:TAG")
	}
	repo, tag, _ := strings.Cut(args[1], ":")
	ts.Check(fixture(ts, args[0]).Image.Push("http://"+ts.Getenv("REGISTRY"), repo, tag))
}

func findSecrets(ts *testscript.TestScript, neg bool, args []string) {
	made := *ts.Value("secrets").(*[]string)
	if neg || len(args) == 0 || len(made) == 0 {
		ts.Fatalf("usage: secrets FILE..., after an image with secrets was made")
	}
	for _, file := range args {
		text := ts.ReadFile(file)
		for _, s := range made {
			for _, part := range []string{s, s[len(s)/2:]} {
				if strings.Contains(text, part) {
					ts.Fatalf("%s shows a secret", file)
				}
			}
		}
	}
}

// What a panic quotes may be an image's text.
func TestInternalError(t *testing.T) {
	var stderr strings.Builder
	code := run(t.Context(), []string{"Dockerfile"}, process{
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, environ: func() []string { return nil }, now: time.Now,
		getenv: func(string) string { panic("\x1b[2Jindex") },
	})
	if got := stderr.String(); code != exitIncomplete || strings.Contains(got, "\x1b") || !strings.HasPrefix(got, "sandbox-audit: internal error: ") {
		t.Errorf("exit %d, %q", code, got)
	}
}

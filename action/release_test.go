package action

import (
	"os"
	"slices"
	"strings"
	"testing"
)

type signing struct {
	Cmd, Artifacts, Signature string
	Args                      []string
}

type release struct {
	Version     int
	ProjectName string `yaml:"project_name"`
	Gomod       struct{ Proxy bool }
	Builds      []struct {
		Main, Binary        string
		Env, Flags, Ldflags []string
		Goos, Goarch        []string
		ModTimestamp        string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		Formats, Files []string
		NameTemplate   string `yaml:"name_template"`
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string
	}
	Sboms     []struct{ Artifacts string }
	Signs     []signing
	DockersV2 []struct {
		Images, Tags, Platforms, Flags []string
		Dockerfile, SBOM               string
	} `yaml:"dockers_v2"`
	DockerSigns []signing `yaml:"docker_signs"`
}

// What the release is called is what install.sh asks for, and it is static, signed
// and with provenance.
func TestRelease(t *testing.T) {
	r := decode[release](t, ".goreleaser.yaml")
	b, install := r.Builds[0], readFile(t, "install.sh")
	if !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") || !strings.Contains(strings.Join(b.Ldflags, " "), "-X main.version=") {
		t.Errorf("build %+v", b)
	}
	if !strings.Contains(readFile(t, "../cmd/sandbox-audit/version.go"), "\nvar version string\n") {
		t.Error("-X main.version sets no variable")
	}
	name := strings.NewReplacer("{{ .Version }}", "${INPUT_VERSION}", "{{ .Os }}", "${os}", "{{ .Arch }}", "$arch").Replace(r.Archives[0].NameTemplate)
	if want := "archive=" + name + "." + r.Archives[0].Formats[0] + "\n"; !strings.Contains(install, want) {
		t.Errorf("install.sh has no line %q", want)
	}
	for _, word := range append(append([]string{r.Checksum.NameTemplate}, b.Goos...), b.Goarch...) {
		if !strings.Contains(install, word) {
			t.Errorf("install.sh does not know %s", word)
		}
	}
	image := r.DockersV2[0]
	if r.Checksum.Algorithm != "sha256" || len(r.Sboms) == 0 || r.Signs[0].Artifacts != "checksum" || len(r.DockerSigns) == 0 ||
		image.SBOM != "true" || !slices.Contains(image.Flags, "--provenance=mode=max") {
		t.Errorf("release %+v", r)
	}
	recipe := readFile(t, "../"+image.Dockerfile)
	for _, line := range []string{"\nFROM scratch\n", "\nUSER 65532:65532\n"} {
		if !strings.Contains(recipe, line) {
			t.Errorf("%s has no line %q", image.Dockerfile, line)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

package action

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

type signing struct {
	Cmd, Artifacts, Signature string
	Args                      []string
}

type hooks struct{ Install, Uninstall string }

// info is what an archive says of a file.
type info struct {
	Owner, Group, Mtime string
	Mode                int
}

type release struct {
	Version     int
	ProjectName string `yaml:"project_name"`
	Before      struct{ Hooks []string }
	Gomod       struct{ Proxy bool }
	Builds      []struct {
		Main, Binary        string
		Env, Flags, Ldflags []string
		Goos, Goarch        []string
		ModTimestamp        string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		Formats         []string
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		NameTemplate string `yaml:"name_template"`
		Files        []struct {
			Src  string
			Info info
		}
		BuildsInfo info `yaml:"builds_info"`
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
		Labels                         map[string]string
	} `yaml:"dockers_v2"`
	DockerSigns   []signing `yaml:"docker_signs"`
	HomebrewCasks []struct {
		Name, Homepage, Description string
		Binaries, Manpages          []string
		Completions                 map[string]string
		Hooks                       struct{ Post hooks }
		Repository                  struct{ Owner, Name, Token string }
		SkipUpload                  string `yaml:"skip_upload"`
	} `yaml:"homebrew_casks"`
	Changelog struct{ Disable bool }
	Release   struct {
		GitHub               struct{ Owner, Name string } `yaml:"github"`
		Draft                bool
		ReplaceExistingDraft bool `yaml:"replace_existing_draft"`
		Prerelease, Footer   string
	}
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
	other := r.Archives[0].FormatOverrides[0]
	for _, want := range []string{
		"archive=" + name + "." + r.Archives[0].Formats[0] + "\n",
		`[ "$os" != ` + other.Goos + ` ] || archive=${archive%.` + r.Archives[0].Formats[0] + "}." + other.Formats[0] + "\n",
	} {
		if !strings.Contains(install, want) {
			t.Errorf("install.sh has no line %q", want)
		}
	}
	for _, word := range append(append([]string{r.Checksum.NameTemplate, strings.Replace(r.Signs[0].Signature, "${artifact}", r.Checksum.NameTemplate, 1)}, b.Goos...), b.Goarch...) {
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

// A release ships, and Homebrew installs, what .ci/extras writes.
func TestExtras(t *testing.T) {
	r, script := decode[release](t, ".goreleaser.yaml"), "../.ci/extras"
	if want := "bash .ci/extras {{ .Version }} {{ .CommitTimestamp }}"; !slices.Equal(r.Before.Hooks, []string{want}) {
		t.Errorf("hooks before the build %q, want %q", r.Before.Hooks, want)
	}
	cask := r.HomebrewCasks[0]
	names := append(slices.Clone(cask.Manpages), slices.Sorted(maps.Values(cask.Completions))...)
	if len(names) != 4 {
		t.Errorf("the cask has %q", names)
	}
	for _, name := range names {
		if !strings.Contains(readFile(t, script), " >"+name+"\n") {
			t.Errorf("%s does not write %s", script, name)
		}
		if dir, _, _ := strings.Cut(name, "/"); !strings.Contains(r.Archives[0].Files[0].Src, ","+dir+"/*") {
			t.Errorf("no archive has %s", name)
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

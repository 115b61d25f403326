package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// Fingerprints returns a name for each finding of r, in their order, that stays
// the same when the image is built again, the Dockerfile's lines move or the
// tool's wording changes. It is made of the rule, the Dockerfile (its path in the
// repository, as repoPath gives it) or manifest, or else the image's name, and what the finding
// is about: paths in the image or settings of the config. Never of a line, digest,
// tag, level or message. Findings that are alike in all of that are numbered.
func Fingerprints(r *scan.Result, repoPath func(string) string) []string {
	out := make([]string, len(r.Findings))
	seen := map[string]int{}
	for i, f := range r.Findings {
		parts := append([]string{f.Rule.ID, origin(r.Target, f.At, repoPath)}, subjects(f)...)
		sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
		name := hex.EncodeToString(sum[:16])
		if seen[name]++; seen[name] > 1 {
			out[i] = fmt.Sprintf("%s-%d", name, seen[name])
			continue
		}
		out[i] = name
	}
	return out
}

func origin(t scan.Target, at scan.Location, repoPath func(string) string) string {
	if at.Source.IsZero() {
		return "image " + ImageName(t)
	}
	if at.Manifest {
		return "manifest " + filepath.ToSlash(repoPath(at.Source.Path))
	}
	return "dockerfile " + filepath.ToSlash(repoPath(at.Source.Path))
}

func subjects(f *scan.Finding) []string {
	places := f.Places
	if places == nil {
		places = []scan.Location{f.At}
	}
	var out []string
	for _, at := range places {
		if at.Path != "" {
			out = append(out, at.Path)
		} else {
			out = append(out, at.Field)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var (
	scheme      = regexp.MustCompile(`^[a-z][a-z0-9-]*://`)
	digest      = regexp.MustCompile(`@[a-z0-9]+:[0-9a-fA-F]{32,}$`)
	imageID     = regexp.MustCompile(`^(sha256:)?[0-9a-f]{12,64}$`)
	tag         = regexp.MustCompile(`:[^/:]*$`)
	port        = regexp.MustCompile(`^([^/:]+):[0-9]+/`)
	archiveName = regexp.MustCompile(`\.(tar|tgz|tzst)(\.[a-z0-9]+)?$`)
)

// ImageName is what an image is called without what changes from build to build
// or from machine to machine: tag, digest, the registry's port, the folder and
// ending of an archive. It is "image" if nothing of the name is left.
func ImageName(t scan.Target) string {
	name := digest.ReplaceAllString(scheme.ReplaceAllString(t.Name, ""), "")
	switch t.Kind {
	case "docker-archive", "oci-archive", "oci-layout", "rootfs":
		file, picked, _ := strings.Cut(name, "@")
		if picked == "" {
			return known(archiveName.ReplaceAllString(filepath.Base(file), ""))
		}
		name = picked
	}
	if imageID.MatchString(name) {
		return known("")
	}
	return known(port.ReplaceAllString(tag.ReplaceAllString(name, ""), "$1/"))
}

func known(name string) string {
	if strings.Trim(name, "./-") == "" {
		return "image"
	}
	return name
}

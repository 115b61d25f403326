package source

import (
	"fmt"
	"strings"
)

// A platform is what an image runs on (OCI image-spec, image-index.md).
type platform struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Variant      string `json:"variant"`
	OSVersion    string `json:"os.version"`
}

// parsePlatform reads "os/arch" or "os/arch/variant".
func parsePlatform(s string) (platform, error) {
	parts := strings.Split(s, "/")
	for _, p := range parts {
		if p == "" || len(parts) < 2 || len(parts) > 3 {
			return platform{}, hint(fmt.Errorf("%q is no platform", s), "write it as linux/amd64 or linux/arm/v7")
		}
	}
	p := platform{OS: parts[0], Architecture: parts[1]}
	switch p.Architecture { // as uname says it
	case "x86_64":
		p.Architecture = "amd64"
	case "aarch64":
		p.Architecture = "arm64"
	}
	if len(parts) == 3 {
		p.Variant = parts[2]
	}
	return p, nil
}

func (p platform) String() string {
	if p.OS == "" && p.Architecture == "" {
		return "no platform"
	}
	s := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return s
}

// generation is the variant, or what an architecture without one means
// (OCI image-spec, image-index.md, "Platform Variants").
func (p platform) generation() string {
	switch {
	case p.Variant != "":
		return p.Variant
	case p.Architecture == "arm64":
		return "v8"
	case p.Architecture == "arm":
		return "v7"
	case p.Architecture == "amd64":
		return "v1"
	}
	return ""
}

// suits reports whether p is what is wanted; a variant not asked for does not
// matter.
func (p platform) suits(want platform) bool {
	return p.OS == want.OS && p.Architecture == want.Architecture &&
		(want.Variant == "" || p.generation() == want.generation())
}

package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

// sandboxContainers are the containers that are judged: with an image the one that runs
// it, else all that run untrusted code; none without a manifest.
func sandboxContainers(p *scan.Pass) []*manifest.Container { return p.Containers }

// inManifest locates a part of a manifest.
func inManifest(at manifest.Place) scan.Location { return scan.AtManifest(at) }

// running names a container: "service agent", "container main of Deployment agent".
func running(p *scan.Pass, c *manifest.Container) string {
	if p.Workload.Kind == "service" {
		return p.Workload.String()
	}
	return fmt.Sprintf("container %s of %s", c.Name, p.Workload)
}

// unresolved claims that a setting is not known; false if it is.
func unresolved(p *scan.Pass, s manifest.Setting, what string) bool {
	if s.Unknown == "" {
		return false
	}
	p.Unknownf(inManifest(s.At), "%s can't be told: %s", what, s.Unknown)
	return true
}

// capability is the name of a capability as capabilities(7) has it, without CAP_.
func capability(s manifest.Setting) string {
	return strings.TrimPrefix(strings.ToUpper(s.Value), "CAP_")
}

func hasCapability(list []manifest.Setting, names ...string) bool {
	return slices.ContainsFunc(list, func(s manifest.Setting) bool { return slices.Contains(names, capability(s)) })
}

// keepsCapability reports whether a container has a capability of the default set after
// what is dropped and added.
func keepsCapability(c *manifest.Container, name string) bool {
	return c.Privileged.True() || hasCapability(c.CapAdd, name, "ALL") || !hasCapability(c.CapDrop, name, "ALL")
}

// inside reports whether a path is a directory or in it.
func inside(name, dir string) bool {
	name, dir = path.Clean(name), path.Clean(dir)
	return name == dir || dir == "/" || strings.HasPrefix(name, dir+"/")
}

// rootName reports whether a user as a manifest names it is uid 0, as far as the name
// alone tells; named is true if only the image can tell.
func rootName(user string) (root, named bool) {
	if manifest.IsRoot(user) {
		return true, false
	}
	name, _, _ := strings.Cut(user, ":")
	return false, name == "" || strings.Trim(name, "0123456789") != ""
}

// startKnown reports whether what the container starts is known.
func startKnown(c *manifest.Container) bool {
	_, _, known := c.Start()
	return known
}

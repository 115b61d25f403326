package dockerfile

import (
	"path"
	"strings"
)

// IsDockerfile reports whether a file of that name is a Dockerfile by its name:
// Dockerfile, Containerfile, Dockerfile.dev, dev.Dockerfile. Case does not count.
// An ignore file (Dockerfile.dockerignore) is none.
func IsDockerfile(name string) bool {
	name = strings.ToLower(path.Base(name))
	if path.Ext(name) == ".dockerignore" || path.Ext(name) == ".containerignore" {
		return false
	}
	for _, stem := range []string{"dockerfile", "containerfile"} {
		if name == stem || strings.HasPrefix(name, stem+".") || strings.HasSuffix(name, "."+stem) {
			return true
		}
	}
	return false
}

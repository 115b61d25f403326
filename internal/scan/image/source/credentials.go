package source

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// credentials say where those for a registry are looked for.
type credentials struct {
	file   string // of docker or podman, as a user would write it
	podman bool
	helper string // the program that the file names for the registry; empty if none
}

func (c credentials) String() string {
	if c.helper != "" {
		return fmt.Sprintf("%s, which %s names", c.helper, c.file)
	}
	return c.file
}

// login is the command that stores credentials where they are looked for.
func (c credentials) login(registry string) string {
	command := loginTo(registry)
	if c.podman {
		command = "podman" + strings.TrimPrefix(command, "docker")
	}
	return command
}

// loginTo is the command that stores credentials for a registry.
func loginTo(registry string) string {
	if registry == name.DefaultRegistry {
		return "docker login"
	}
	return "docker login " + registry
}

// credentials looks where the keychain does: in docker's file, and only where there is
// none in podman's (containers-auth.json(5)).
func (rep *repository) credentials() credentials {
	op := rep.op
	c := credentials{file: "~/.docker/config.json"}
	path := filepath.Join(op.Home, ".docker/config.json")
	if dir := op.Getenv("DOCKER_CONFIG"); dir != "" {
		path = filepath.Join(dir, "config.json")
		c.file = path
	}
	if !exists(path) {
		for _, p := range op.podmanCredentials() {
			if exists(p) {
				path, c = p, credentials{file: p, podman: true}
				break
			}
		}
	}
	c.helper = helperIn(path, rep.ref.Context().RegistryStr())
	return c
}

func (op *opener) podmanCredentials() []string {
	var paths []string
	if p := op.Getenv("REGISTRY_AUTH_FILE"); p != "" {
		paths = append(paths, p)
	}
	if dir := op.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		paths = append(paths, filepath.Join(dir, "containers/auth.json"))
	}
	if dir := op.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return append(paths, filepath.Join(dir, "containers/auth.json"))
	}
	return append(paths, filepath.Join(op.Home, ".config/containers/auth.json"))
}

// helperIn is the helper that a file of credentials names for a registry
// (docker/cli, configfile).
func helperIn(file, registry string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var config struct {
		CredsStore  string
		CredHelpers map[string]string
	}
	if json.Unmarshal(b, &config) != nil {
		return ""
	}
	helper := config.CredHelpers[registry]
	if helper == "" {
		helper = config.CredsStore
	}
	if helper == "" {
		return ""
	}
	return "docker-credential-" + helper
}

// noCredentials says why credentials could not be read, such as by a helper that is
// missing or whose own have expired.
func (rep *repository) noCredentials(why error) error {
	registry := rep.ref.Context().RegistryStr()
	from := rep.credentials()
	return hint(fmt.Errorf("reading credentials for %s from %s: %w", registry, from, why), from.login(registry))
}

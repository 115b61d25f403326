package dockerfile

import "testing"

func TestIsDockerfile(t *testing.T) {
	for name, want := range map[string]bool{ // D63
		"Dockerfile": true, "dockerfile": true, "DockerFile": true, "Containerfile": true,
		"Dockerfile.dev": true, "dev.Dockerfile": true, "e2b.dockerfile": true, "Containerfile.ci": true,
		"deploy/app.gen.dockerfile": true,
		"Dockerfile.dockerignore":   false, "Dockerfiles": false, "mydockerfile": false, "docker-compose.yml": false, "": false,
	} {
		if got := IsDockerfile(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

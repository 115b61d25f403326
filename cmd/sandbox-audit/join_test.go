package main

import "testing"

func TestSameReference(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, tt := range []struct {
		image, target string
		same          bool
	}{
		{"agent", "agent:latest", true},
		{"agent", "docker.io/library/agent", true},
		{"acme/agent:1", "index.docker.io/acme/agent:1", true},
		{"docker.io/acme/agent:1", "registry-1.docker.io/acme/agent:1", true},
		{"agent:1", "agent:2", false},
		{"agent", "acme/agent", false},
		{"ghcr.io/acme/agent:1", "acme/agent:1", false},
		{"localhost:5000/agent", "localhost:5000/agent:latest", true},
		{"localhost:5000/agent", "agent", false},
		{"agent:1" + digest, "agent" + digest, true},
		{"agent:1" + digest, "agent:1", false},
		{"agent:1", "out/agent.tar@docker.io/library/agent:1", true},
		{"agent:1", "out/agent.tar@agent:2", false},
	} {
		if got := sameReference(tt.image, tt.target); got != tt.same {
			t.Errorf("%s and %s: %v", tt.image, tt.target, got)
		}
	}
}

func TestCalls(t *testing.T) {
	for _, tt := range []struct {
		file, image string
		calls       bool
	}{
		{"agent/Dockerfile", "agent", true},
		{"code_sandbox/Dockerfile", "code-sandbox", true},
		{"docker/Dockerfile.agent", "agent", true},
		{"docker/agent.Dockerfile", "Agent", true},
		{"agent/Dockerfile.proxy", "agent", false},
		{"agent/Dockerfile", "agent-proxy", false},
	} {
		if got := (recipe{file: tt.file}).calls(tt.image); got != tt.calls {
			t.Errorf("%s and %s: %v", tt.file, tt.image, got)
		}
	}
}

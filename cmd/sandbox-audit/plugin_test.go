package main

import (
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct{ argv, want, environment string }{
		{argv: "sandbox-audit a", want: "a"},
		{argv: "/bin/docker-sandboxaudit sandboxaudit a -H b", want: "a -H b"},
		{argv: "docker-sandboxaudit.exe sandboxaudit", want: ""},
		{argv: "docker-sandboxaudit docker-cli-plugin-metadata", want: "docker-cli-plugin-metadata"},
		{argv: "docker-sandboxaudit a", want: "a"},
		{argv: "docker-sandboxaudit", want: ""},
		{argv: "docker-sandboxaudit help sandboxaudit", want: "help"},
		{argv: "docker-sandboxaudit help sandboxaudit explain", want: "help explain"},
		{argv: "docker-sandboxaudit -D --log-level debug sandboxaudit a", want: "a"},
		{argv: "docker-sandboxaudit --context far sandboxaudit a", want: "a", environment: "DOCKER_CONTEXT=far DOCKER_HOST="},
		{argv: "docker-sandboxaudit -H tcp://far:2376 sandboxaudit a", want: "a", environment: "DOCKER_CONTEXT= DOCKER_HOST=tcp://far:2376"},
		{argv: "docker-sandboxaudit --config=/etc/docker sandboxaudit a", want: "a", environment: "DOCKER_CONFIG=/etc/docker"},
		{argv: "docker-sandboxaudit --tlsverify sandboxaudit a", want: "--tlsverify sandboxaudit a"},
	} {
		var environment []string
		got := arguments(strings.Fields(c.argv), func(name, value string) error {
			environment = append(environment, name+"="+value)
			return nil
		})
		if !slices.Equal(got, strings.Fields(c.want)) || !slices.Equal(environment, strings.Fields(c.environment)) {
			t.Errorf("%s: %q with %q, want %q with %q", c.argv, got, environment, c.want, c.environment)
		}
	}
}

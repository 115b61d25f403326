package scan

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// ConfigOf is the image config that a build would leave, as far as the Dockerfile
// alone decides it.
func ConfigOf(b *dockerfile.Build) image.Config {
	c := image.Config{
		User: value(b.User), WorkingDir: value(b.WorkingDir),
		Entrypoint: b.Entrypoint.Argv(), Cmd: b.Cmd.Argv(), Healthcheck: b.Health.Argv(),
		ExposedPorts: values(b.Expose), Volumes: values(b.Volumes), OnBuild: values(b.OnBuild),
	}
	if b.Shell != nil {
		c.Shell = b.Shell.Args
	}
	for _, s := range b.Env {
		c.Env = append(c.Env, s.Name+"="+s.Value)
	}
	for _, s := range b.Labels {
		if c.Labels == nil {
			c.Labels = map[string]string{}
		}
		c.Labels[s.Name] = s.Value
	}
	return c
}

func value(s *dockerfile.Setting) string {
	if s == nil {
		return ""
	}
	return s.Value
}

func values(ss []dockerfile.Setting) []string {
	var out []string
	for _, s := range ss {
		out = append(out, s.Value)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

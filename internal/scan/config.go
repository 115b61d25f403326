package scan

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// ConfigOf is the image config that a build would leave, as far as the Dockerfile
// alone decides it.
func ConfigOf(b *dockerfile.Build) image.Config {
	shell := []string{"/bin/sh", "-c"}
	if b.Shell != nil {
		shell = b.Shell.Args
	}
	c := image.Config{
		User: value(b.User), WorkingDir: value(b.WorkingDir),
		Entrypoint: words(b.Entrypoint, shell), Cmd: words(b.Cmd, shell), Healthcheck: words(b.Health, shell),
		ExposedPorts: values(b.Expose), Volumes: values(b.Volumes), OnBuild: values(b.OnBuild),
	}
	if b.Shell != nil {
		c.Shell = shell
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

// words is what the engine executes: the exec form as it is, the shell form
// handed to the shell.
func words(c *dockerfile.Command, shell []string) []string {
	switch {
	case c == nil:
		return nil
	case c.Exec:
		return c.Args
	}
	return append(slices.Clone(shell), c.Args...)
}

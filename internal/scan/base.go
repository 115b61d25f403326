package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Base is an image that was read because a Dockerfile builds on it or copies from
// it.
type Base struct {
	Build *dockerfile.BaseImage // what a build sees of it

	base *image.Base
}

// ReadBase reads a base image. It fails if src has no config, which a build needs.
func ReadBase(ctx context.Context, s *image.Scanner, src *image.Source) (*Base, error) {
	if src.NoConfig {
		return nil, fmt.Errorf("reading the base image %s: %w", src.Name, errors.New("a directory of files has no config that says how it starts; give the image"))
	}
	base, err := s.LoadBase(ctx, src)
	if err != nil {
		return nil, err
	}
	img, c := base.Image, base.Image.Config
	b := &dockerfile.BaseImage{
		User: c.User, WorkingDir: c.WorkingDir, Env: c.Env, Shell: c.Shell, OnBuild: c.OnBuild, Whole: img.Complete(),
	}
	for f := range img.Files() {
		if f.Live() {
			b.Files = append(b.Files, dockerfile.Add{Path: f.Path, Mode: f.Mode, UID: f.UID, GID: f.GID, Size: f.Size, Link: link(f), Base: f})
		}
	}
	return &Base{b, base}, nil
}

// link is the target of a symbolic link.
func link(f *image.File) string {
	if f.HardLink && f.Original == nil {
		return ""
	}
	return f.Link
}

// over completes a config with what the base says where the build says nothing
// (buildkit, dockerfile2llb, dispatch functions).
func over(c image.Config, b *dockerfile.Build, base image.Config) image.Config {
	c.OS, c.Architecture, c.Variant = base.OS, base.Architecture, base.Variant
	c.User, c.WorkingDir = cmp.Or(c.User, base.User), cmp.Or(c.WorkingDir, base.WorkingDir)
	c.StopSignal = cmp.Or(c.StopSignal, base.StopSignal)
	if b.Cmd == nil && b.Entrypoint == nil {
		c.Cmd = base.Cmd
	}
	if b.Entrypoint == nil {
		c.Entrypoint = base.Entrypoint
	}
	if b.Health == nil {
		c.Healthcheck = base.Healthcheck
	}
	if b.Shell == nil {
		c.Shell = base.Shell
	}
	c.Env = overwritten(base.Env, c.Env)
	c.ExposedPorts = union(base.ExposedPorts, c.ExposedPorts)
	c.Volumes = union(base.Volumes, c.Volumes)
	for name, value := range base.Labels {
		if _, set := c.Labels[name]; !set {
			if c.Labels == nil {
				c.Labels = map[string]string{}
			}
			c.Labels[name] = value
		}
	}
	return c
}

// overwritten returns variables with the values that later ones of the same name give
// them.
func overwritten(env, later []string) []string {
	out := slices.Clone(env)
	for _, kv := range later {
		name, _, _ := strings.Cut(kv, "=")
		i := slices.IndexFunc(out, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		if i < 0 {
			out = append(out, kv)
		} else {
			out[i] = kv
		}
	}
	return out
}

func union(a, b []string) []string {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return slices.Compact(all)
}

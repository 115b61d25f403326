package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// limitFlags adds a flag for each limit that a target of good will could meet.
func limitFlags(f *pflag.FlagSet, l *limits.Limits) {
	for _, flag := range []struct {
		name, usage string
		value       any
	}{
		{"max-layer-bytes", "uncompressed bytes of one layer", &l.LayerBytes},
		{"max-image-bytes", "uncompressed bytes of all layers", &l.ImageBytes},
		{"max-ratio", "uncompressed bytes per stored byte of a layer", &l.Ratio},
		{"max-entries", "entries of one layer", &l.Entries},
		{"max-path-bytes", "bytes of one path", &l.PathBytes},
		{"max-name-bytes", "bytes of all paths of one layer", &l.NameBytes},
		{"max-kept-bytes", "bytes of text kept of all layers, packed", &l.KeptBytes},
		{"max-layers", "layers of one image", &l.Layers},
		{"max-manifest-bytes", "bytes of a manifest or index", &l.ManifestBytes},
		{"max-config-bytes", "bytes of an image config", &l.ConfigBytes},
		{"max-index-entries", "entries of an index", &l.IndexEntries},
		{"max-index-depth", "indexes inside indexes", &l.IndexDepth},
		{"max-json-depth", "nesting of a JSON document", &l.JSONDepth},
		{"max-json-elements", "values in a JSON document", &l.JSONElements},
		{"max-members", "members of an archive", &l.Members},
		{"max-redirects", "redirects of a registry", &l.Redirects},
		{"max-dockerfile-bytes", "bytes of a Dockerfile", &l.DockerfileBytes},
		{"max-yaml-bytes", "bytes of a compose file or manifest", &l.YAMLBytes},
		{"max-yaml-values", "values of a compose file or manifest", &l.YAMLValues},
	} {
		f.Var(&limitValue{flag.value}, flag.name, "limit on the `NUMBER` of "+flag.usage)
		if err := f.MarkHidden(flag.name); err != nil {
			panic(err) // the flag was added in the line above
		}
	}
}

// A limitValue is a limit as a flag.
type limitValue struct{ to any }

func (v *limitValue) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no positive number", s)
	}
	switch to := v.to.(type) {
	case *int64:
		*to = n
	case *int:
		*to = int(n)
	}
	return nil
}

func (v *limitValue) String() string {
	switch to := v.to.(type) {
	case *int64:
		return strconv.FormatInt(*to, 10)
	case *int:
		return strconv.Itoa(*to)
	}
	return ""
}

func (v *limitValue) Type() string { return "number" }

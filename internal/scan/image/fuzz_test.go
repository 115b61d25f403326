package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/sandbox-audit/sandbox-audit/internal/hostile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// small are limits that keep one run of a fuzz target short.
func small() limits.Limits {
	lim := limits.Default()
	lim.LayerBytes, lim.Entries, lim.ZstdWindow = 8<<20, 1000, 1<<20
	return lim
}

// FuzzLayerReader compares the entries of a layer with those that archive/tar
// finds, and the digests with the bytes. A layer that is called complete must be
// one that can be read to its end.
func FuzzLayerReader(f *testing.F) {
	for _, c := range hostile.Cases() {
		for _, b := range c.Input().Files() {
			if len(b) < 64<<10 {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		lim := small()
		got := scan(t, lim, bytes.NewReader(b))
		plain, err := decompressed(b, lim)
		want, terr := listed(plain)
		err = errors.Join(terr, err)

		whole := !slices.ContainsFunc(got.Problems, func(p Problem) bool { return p.Kind == NotAudited })
		if whole && err != nil {
			t.Fatalf("called complete, but %v", err)
		}
		if whole && (got.DiffID != digestOf(plain) || got.Digest != digestOf(b) || got.Stored != int64(len(b)) || got.Uncompressed != int64(len(plain))) {
			t.Errorf("wrong digests or sizes: %+v", got)
		}
		names := added(got)
		if whole && !slices.Equal(names, want) || !whole && len(want) > 0 && !subsequence(names, want) {
			t.Errorf("got %q, want %q (%v)", names, want, got.Problems)
		}
	})
}

// decompressed returns the bytes of a layer up to the first error or the limit.
func decompressed(b []byte, lim limits.Limits) ([]byte, error) {
	z, _, err := Decompress(bufio.NewReader(bytes.NewReader(b)), lim)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := io.ReadAll(io.LimitReader(z, lim.LayerBytes+1))
	if int64(len(plain)) > lim.LayerBytes {
		err = errors.New("over the limit")
	}
	return plain, err
}

// listed are the paths of the files in an archive up to the first error, in order,
// without whiteouts.
func listed(b []byte) ([]string, error) {
	var out []string
	for tr := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		p := path.Clean("/" + h.Name)
		known := strings.IndexByte("01234567S\x00", h.Typeflag) >= 0
		if known && (!strings.HasPrefix(path.Base(p), whiteoutPrefix) || strings.HasPrefix(path.Base(p), whiteoutMeta) && path.Base(p) != whiteoutOpaque) {
			out = append(out, p)
		}
	}
}

func added(c *Content) []string {
	var out []string
	for _, ev := range c.events {
		if ev.kind == add {
			out = append(out, ev.path)
		}
	}
	return out
}

// subsequence reports whether the elements of part stand in all, in order.
func subsequence(part, all []string) bool {
	for _, s := range part {
		i := slices.Index(all, s)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// FuzzConfigJSON compares what is read of a config without a problem with what the
// registry's library reads, and reads its own words again.
func FuzzConfigJSON(f *testing.F) {
	for _, c := range hostile.Cases() {
		for _, b := range c.Input().Files() {
			if bytes.HasPrefix(b, []byte("{")) && len(b) < 64<<10 {
				f.Add(b)
			}
		}
	}
	f.Add([]byte(`{"config":{"User":"1","Env":["A=b"],"ExposedPorts":{"22/tcp":{}},"Healthcheck":{"Test":["CMD","x"]}},"rootfs":{"diff_ids":[]},"history":[{"created_by":"x","empty_layer":true},null]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, problems, err := ParseConfig(b, limits.Default())
		if err != nil {
			return
		}
		for _, id := range c.DiffIDs {
			if !IsDigest(id) {
				t.Errorf("accepts the diff ID %q", id)
			}
		}
		again, more, err := ParseConfig(written(t, c), limits.Default())
		if err != nil || len(more) > 0 || told(t, again) != told(t, c) {
			t.Errorf("read again, %s is %s: %v %v", told(t, c), told(t, again), more, err)
		}
		theirs, err := v1.ParseConfigFile(bytes.NewReader(b))
		if err != nil || len(problems) > 0 {
			return
		}
		want := Config{User: theirs.Config.User, Env: theirs.Config.Env, Entrypoint: theirs.Config.Entrypoint, Cmd: theirs.Config.Cmd, WorkingDir: theirs.Config.WorkingDir, Shell: theirs.Config.Shell}
		got := Config{User: c.User, Env: c.Env, Entrypoint: c.Entrypoint, Cmd: c.Cmd, WorkingDir: c.WorkingDir, Shell: c.Shell}
		if told(t, got) != told(t, want) || len(c.DiffIDs) != len(theirs.RootFS.DiffIDs) {
			t.Errorf("got %s, want %s", told(t, got), told(t, want))
		}
	})
}

// told is a config as text; no value and an empty one are the same.
func told(t *testing.T, c Config) string {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("null", "[]", "{}", "[]").Replace(string(b))
}

// written is a config as a tool would write it.
func written(t *testing.T, c Config) []byte {
	t.Helper()
	set := func(keys []string) map[string]struct{} {
		m := map[string]struct{}{}
		for _, k := range keys {
			m[k] = struct{}{}
		}
		return m
	}
	var history []map[string]any
	for _, h := range c.History {
		history = append(history, map[string]any{"created_by": h.CreatedBy, "comment": h.Comment, "empty_layer": h.EmptyLayer})
	}
	b, err := json.Marshal(map[string]any{
		"os": c.OS, "architecture": c.Architecture, "variant": c.Variant, "history": history, "rootfs": map[string]any{"diff_ids": c.DiffIDs},
		"config": map[string]any{
			"User": c.User, "Env": c.Env, "Entrypoint": c.Entrypoint, "Cmd": c.Cmd, "WorkingDir": c.WorkingDir, "ExposedPorts": set(c.ExposedPorts), "Volumes": set(c.Volumes),
			"Labels": c.Labels, "Healthcheck": map[string]any{"Test": c.Healthcheck}, "OnBuild": c.OnBuild, "Shell": c.Shell, "StopSignal": c.StopSignal,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

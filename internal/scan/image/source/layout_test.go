package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

const inToto = "application/vnd.in-toto+json"

// attestation is a manifest as BuildKit attaches it to an image.
func attestation(l *layout) doc {
	cfg := marshal(doc{"os": "unknown", "architecture": "unknown", "rootfs": doc{"type": "layers", "diff_ids": []string{"sha256:" + strings.Repeat("0", 64)}}})
	return l.blob(ociManifest, doc{"schemaVersion": 2, "config": l.blob(ociConfig, cfg), "layers": []doc{l.blob(inToto, doc{"predicate": 1})}})
}

func TestLayouts(t *testing.T) {
	a, b, c := layer(t, "a"), layer(t, "b"), layer(t, "c")
	const amd, arm = "oci-layout linux/amd64 : 0/a\n", "oci-layout linux/arm64 : 0/b\n"
	for _, tt := range []struct {
		name, platform string
		index          func(l *layout) []doc
		want           string
	}{
		{"one image", "", func(l *layout) []doc { return []doc{l.image("linux/amd64", a)} }, amd},
		{"one image, of another platform", "", func(l *layout) []doc { return []doc{l.image("linux/arm64", b)} }, arm},
		{"two platforms (D52), the host's", "", func(l *layout) []doc {
			return []doc{on(l.image("linux/arm64", b), "linux/arm64"), on(l.image("linux/amd64", a), "linux/amd64")}
		}, amd},
		{"two platforms (D52), the wanted one", "linux/arm64", func(l *layout) []doc {
			return []doc{on(l.image("linux/amd64", a), "linux/amd64"), on(l.image("linux/arm64", b), "linux/arm64/v8")}
		}, arm},
		{"platforms only in the configs", "linux/arm64", func(l *layout) []doc {
			return []doc{l.image("linux/amd64", a), l.image("linux/arm64", b)}
		}, arm},
		{"the architecture's usual variant", "linux/arm", func(l *layout) []doc {
			return []doc{on(l.image("linux/arm", a), "linux/arm/v6"), on(l.image("linux/arm", b), "linux/arm/v7")}
		}, "oci-layout linux/arm : 0/b\n"},
		{"a variant by name", "linux/arm/v6", func(l *layout) []doc {
			return []doc{on(l.image("linux/arm", a), "linux/arm/v6"), on(l.image("linux/arm", b), "linux/arm/v7")}
		}, "oci-layout linux/arm : 0/a\n"},
		{"index in an index (D54)", "", func(l *layout) []doc { return []doc{l.index(l.index(on(l.image("linux/amd64", a), "linux/amd64")))} }, amd},
		{"attestation beside it (D53)", "", func(l *layout) []doc {
			return []doc{l.index(on(l.image("linux/amd64", a), "linux/amd64"), on(attestation(l), "unknown/unknown"))}
		}, amd + "  remark: entries of the index that are no image were not read: 1, an attestation\n"},
		{"attestation told by its config", "", func(l *layout) []doc { return []doc{l.image("linux/amd64", a), attestation(l)} },
			amd + "  remark: entries of the index that are no image were not read: 1, an attestation\n"},
		{"image called an attestation", "", func(l *layout) []doc {
			return []doc{with(on(l.image("linux/amd64", a), "linux/amd64"), "annotations", doc{"vnd.docker.reference.type": "attestation-manifest"})}
		}, amd},
		{"platform missing from a partial copy", "", func(l *layout) []doc {
			gone := doc{"mediaType": ociManifest, "digest": "sha256:" + strings.Repeat("0", 64), "size": 9}
			return []doc{l.index(on(gone, "linux/amd64"), on(l.image("linux/arm64", b), "linux/arm64"))}
		}, arm},
		{"config and index disagree (M18)", "", func(l *layout) []doc { return []doc{on(l.image("linux/arm64", b), "linux/amd64")} },
			arm + "  ambiguous: the index says it is for linux/amd64, the config for linux/arm64\n"},
		{"two manifests for one platform", "", func(l *layout) []doc {
			return []doc{l.index(on(l.image("linux/amd64", a), "linux/amd64"), on(l.image("linux/amd64", b), "linux/amd64"))}
		}, amd + "  ambiguous: its index has several manifests for linux/amd64; the first was read\n"},
		{"encrypted layer (M10)", "", func(l *layout) []doc {
			return []doc{l.blob(ociManifest, doc{"config": l.blob(ociConfig, config("linux/amd64", a, b)),
				"layers": []doc{l.blob(ociLayer, a), l.blob(ociLayer+"+encrypted", c)}})}
		}, amd + "  unread: layer 2: is encrypted (" + ociLayer + "+encrypted) and was not read\n"},
		{"layer of unknown type (M10)", "", func(l *layout) []doc {
			return []doc{l.blob(ociManifest, doc{"config": l.blob(ociConfig, config("linux/amd64", a, b)),
				"layers": []doc{l.blob(ociLayer, a), l.blob("application/x", c)}})}
		}, amd + "  unread: layer 2: has the unknown media type \"application/x\" and was not read\n"},
		{"layer that is not distributed", "", func(l *layout) []doc {
			far := doc{"mediaType": "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", "digest": digest(b), "size": len(b)}
			return []doc{l.blob(ociManifest, doc{"config": l.blob(ociConfig, config("linux/amd64", a, b)), "layers": []doc{l.blob(ociLayer, a), far}})}
		}, amd + "  unread: layer 2: is not distributed with the image and was not read\n"},
		{"layer missing (D11)", "", func(l *layout) []doc {
			far := doc{"mediaType": ociLayer, "digest": digest(b), "size": len(b)}
			return []doc{l.blob(ociManifest, doc{"config": l.blob(ociConfig, config("linux/amd64", a, b)), "layers": []doc{l.blob(ociLayer, a), far}})}
		}, amd + "  unread: layer 2: blobs/sha256/" + hex(b) + ": no such file or directory\n"},
		{"repeated manifest key", "", func(l *layout) []doc {
			m := string(marshal(doc{"config": l.blob(ociConfig, config("linux/amd64", a)), "layers": []doc{l.blob(ociLayer, a)}}))
			return []doc{l.blob(ociManifest, strings.Replace(m, "{", `{"Config": null, `, 1))}
		}, amd + "  ambiguous: the manifest key \"config\" stands more than once; readers differ on which counts\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLayout()
			o := options(t)
			o.Platform = tt.platform
			if got := describe(t, unpack(t, l.with(tt.index(l)...)...), o); got != tt.want {
				t.Errorf("got  %swant %s", got, tt.want)
			}
		})
	}
}

func TestLayoutsRefused(t *testing.T) {
	a, b := layer(t, "a"), layer(t, "b")
	manifest := func(l *layout, change doc) []doc {
		m := doc{"schemaVersion": 2, "config": l.blob(ociConfig, config("linux/amd64", a)), "layers": []doc{l.blob(ociLayer, a)}}
		for k, v := range change {
			m[k] = v
		}
		return []doc{l.blob(ociManifest, m)}
	}
	for _, tt := range []struct {
		name, platform string
		index          func(l *layout) []doc
		want           string
	}{
		{"no entry", "", func(*layout) []doc { return []doc{} }, "its index is empty"},
		{"platform not there (M7)", "linux/s390x", func(l *layout) []doc {
			return []doc{on(l.image("linux/amd64", a), "linux/amd64"), on(l.image("linux/arm64", b), "linux/arm64")}
		}, "not there for linux/s390x, only for linux/amd64, linux/arm64"},
		{"several platforms, none the host's (D52)", "", func(l *layout) []doc {
			return []doc{on(l.image("linux/s390x", a), "linux/s390x"), on(l.image("linux/arm64", b), "linux/arm64")}
		}, "it is there for linux/s390x, linux/arm64"},
		{"only attestations (M8)", "", func(l *layout) []doc { return []doc{on(attestation(l), "unknown/unknown")} }, "no container image, only an attestation"},
		{"a chart (M9)", "", func(l *layout) []doc {
			return manifest(l, doc{"config": l.blob("application/vnd.cncf.helm.config.v1+json", doc{})})
		}, "only a Helm chart"},
		{"a chart for a platform (M9)", "", func(l *layout) []doc {
			return []doc{on(manifest(l, doc{"config": l.blob("application/vnd.cncf.helm.config.v1+json", doc{})})[0], "linux/amd64")}
		}, "it is a Helm chart, not a container image"},
		{"a signature (M9)", "", func(l *layout) []doc {
			return manifest(l, doc{"layers": []doc{l.blob("application/vnd.dev.cosign.simplesigning.v1+json", doc{})}})
		}, "only a signature"},
		{"an artifact with an empty config (M9)", "", func(l *layout) []doc {
			return manifest(l, doc{"artifactType": "application/x.y", "config": l.blob("application/vnd.oci.empty.v1+json", doc{})})
		}, `only an artifact of type "application/x.y"`},
		{"manifest and index at once (M4)", "", func(l *layout) []doc { return manifest(l, doc{"manifests": []doc{}}) }, "manifest and an index at once"},
		{"index called a manifest", "", func(l *layout) []doc {
			return []doc{with(l.index(l.image("linux/amd64", a)), "mediaType", ociManifest)}
		}, "media type " + ociManifest + " is not that of its content"},
		{"manifest calls itself an index", "", func(l *layout) []doc { return manifest(l, doc{"mediaType": ociIndex}) }, "is not that of its content"},
		{"schema 1 (M6)", "", func(l *layout) []doc {
			return []doc{l.blob(ociManifest, doc{"schemaVersion": 1, "fsLayers": []doc{}, "history": []doc{}})}
		}, "schema 1, which is not supported"},
		{"neither", "", func(l *layout) []doc { return []doc{l.blob(ociManifest, doc{"schemaVersion": 2})} }, "neither an image manifest nor an index"},
		{"fewer diff IDs than layers (M13)", "", func(l *layout) []doc {
			return manifest(l, doc{"layers": []doc{l.blob(ociLayer, a), l.blob(ociLayer, b)}})
		},
			"names 1 layers, the manifest 2"},
		{"config without rootfs (M13)", "", func(l *layout) []doc { return manifest(l, doc{"config": l.blob(ociConfig, doc{})}) }, "has no rootfs"},
		{"config of another digest (D11)", "", func(l *layout) []doc {
			d := l.blob(ociConfig, config("linux/amd64", a))
			l.members[len(l.members)-1].body = config("linux/amd65", a)
			return manifest(l, doc{"config": d})
		}, "is not what it is named"},
		{"config of another size (D11)", "", func(l *layout) []doc {
			return manifest(l, doc{"config": with(l.blob(ociConfig, config("linux/amd64", a)), "size", 7)})
		}, "not 7 as its descriptor says"},
		{"config of negative size (M11)", "", func(l *layout) []doc {
			return manifest(l, doc{"config": with(l.blob(ociConfig, config("linux/amd64", a)), "size", -1)})
		}, "has the size -1"},
		{"config of huge size", "", func(l *layout) []doc {
			return manifest(l, doc{"config": with(l.blob(ociConfig, config("linux/amd64", a)), "size", 1<<40)})
		}, "over the limit of 8388608 bytes"},
		{"layer of negative size (M11)", "", func(l *layout) []doc { return manifest(l, doc{"layers": []doc{with(l.blob(ociLayer, a), "size", -1)}}) }, "the size -1"},
		{"layer named by a path", "", func(l *layout) []doc {
			return manifest(l, doc{"layers": []doc{with(l.blob(ociLayer, a), "digest", "sha256:../../etc/passwd")}})
		}, `"sha256:../../etc/passwd"`},
		{"digest of another kind", "", func(l *layout) []doc { return []doc{with(manifest(l, nil)[0], "digest", "sha512:00")} }, "no sha256 digest"},
		{"too deep (D13)", "", func(l *layout) []doc {
			d := l.image("linux/amd64", a)
			for range 4 {
				d = l.index(d)
			}
			return []doc{d}
		}, "limit of 3 indexes inside indexes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLayout()
			members := l.with(tt.index(l)...)
			for name, target := range map[string]string{"directory": unpack(t, members...), "archive": store(t, "x.tar", pack(t, members...))} {
				o := options(t)
				o.Platform = tt.platform
				if _, err := refused(t, target, o); !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v\nwant %s", name, err, tt.want)
				}
			}
		})
	}
}

func TestLayoutEntryLimit(t *testing.T) {
	l := newLayout()
	d := l.image("linux/amd64", layer(t, "a"))
	dir := unpack(t, l.with(l.index(d, d), l.index(d, d))...)
	o := options(t)
	lim := limits.Default()
	lim.IndexEntries = 5
	o.Scanner = image.NewScanner(nil, lim)
	if hint, err := refused(t, dir, o); !strings.Contains(err.Error(), "limit of 5 entries of all indexes") || hint != "raise it with --max-index-entries" {
		t.Errorf("got %v, hint %q", err, hint)
	}
}

func TestLayoutPick(t *testing.T) {
	l := newLayout()
	a, b, s := l.image("linux/amd64", layer(t, "a")), l.image("linux/arm64", layer(t, "b")), l.image("windows/amd64", layer(t, "c"))
	both := l.index(on(a, "linux/amd64"), on(b, "linux/arm64"))
	dir := unpack(t, l.with(named(both, "x:1"), named(l.index(on(b, "linux/arm64"), on(s, "windows/amd64")), "y:1"))...)
	for pick, want := range map[string]string{
		"x:1":                   "oci-layout linux/amd64 x:1: 0/a\n",
		"1":                     "oci-layout linux/amd64 x:1: 0/a\n",
		both["digest"].(string): "oci-layout linux/amd64 x:1: 0/a\n",
		s["digest"].(string):    "oci-layout windows/amd64 y:1: 0/c\n",
	} {
		if got := describe(t, dir+"@"+pick, options(t)); got != want {
			t.Errorf("%s: got  %swant %s", pick, got, want)
		}
	}
	if _, err := refused(t, dir+"@y:1", options(t)); !strings.Contains(err.Error(), "it is there for linux/arm64, windows/amd64") {
		t.Error(err)
	}
}

func TestLayoutOfSeveral(t *testing.T) {
	l := newLayout()
	a, b := l.image("linux/amd64", layer(t, "a")), l.image("linux/amd64", layer(t, "b"))
	for _, tt := range []struct {
		name    string
		entries []doc
		want    string
	}{
		{"without names", []doc{a, b}, "oci-layout@" + a["digest"].(string) + " linux/amd64 : 0/a\noci-layout@" + b["digest"].(string) + " linux/amd64 : 0/b\n"},
		{"two names of one image", []doc{named(a, "x:1"), named(a, "x:2")}, "oci-layout linux/amd64 x:1,x:2: 0/a\n"},
		{"one name of two images", []doc{named(a, "x:1"), named(b, "x:1")},
			"oci-layout@x:1 linux/amd64 x:1: 0/a\n  ambiguous: the name \"x:1\" stands for 2 images\n" +
				"oci-layout@x:1 linux/amd64 x:1: 0/b\n  ambiguous: the name \"x:1\" stands for 2 images\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := describe(t, unpack(t, l.with(tt.entries...)...), options(t)); got != tt.want {
				t.Errorf("got  %swant %s", got, tt.want)
			}
		})
	}
}

// The files of a layout are whatever its maker put there.
func TestLayoutFiles(t *testing.T) {
	l := newLayout()
	a := layer(t, "a")
	members := l.with(l.image("linux/amd64", a))
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string // refused so; or, starting with a kind, described so
	}{
		{"other version (D12)", func(t *testing.T, dir string) { rewrite(t, dir, "oci-layout", `{"imageLayoutVersion":"2.0.0"}`) }, `version "2.0.0" is not supported`},
		{"no version (D12)", func(t *testing.T, dir string) { remove(t, dir, "oci-layout") }, "oci-layout linux/amd64 : 0/a\n  remark: the file oci-layout is missing\n"},
		{"no index", func(t *testing.T, dir string) { remove(t, dir, "index.json") }, "reading index.json: index.json: no such file"},
		{"index is a manifest", func(t *testing.T, dir string) { rewrite(t, dir, "index.json", `{"config":{}}`) }, "it is no index"},
		{"index leads out (D14)", func(t *testing.T, dir string) { link(t, dir, "index.json", "/dev/zero") }, "index.json is no regular file"},
		{"index is a directory", func(t *testing.T, dir string) {
			remove(t, dir, "index.json")
			if err := os.Mkdir(filepath.Join(dir, "index.json"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "index.json is no regular file"},
		{"layer is a link", func(t *testing.T, dir string) { link(t, dir, "blobs/sha256/"+hex(a), "../../index.json") }, "unread: layer 1: blobs/sha256/" + hex(a) + " is no regular file"},
		{"layer has other bytes (D11)", func(t *testing.T, dir string) { rewrite(t, dir, "blobs/sha256/"+hex(a), string(layer(t, "evil"))) }, "unread: layer 1: is not the layer the image names"},
		{"blobs lead out (D14)", func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "blobs")
			if err := os.Rename(filepath.Join(dir, "blobs"), outside); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, "blobs")); err != nil {
				t.Fatal(err)
			}
		}, "it lacks the manifests that its index names"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := unpack(t, members...)
			tt.change(t, dir)
			o := options(t)
			got := ""
			if opened, err := source.Open(t.Context(), dir, o); err != nil {
				got = err.Error()
			} else {
				opened.Close()
				got = describe(t, dir, o)
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func rewrite(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, dir, name, target string) {
	t.Helper()
	remove(t, dir, name)
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

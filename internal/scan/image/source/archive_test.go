package source_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// archives returns the same archive as a file, compressed, and through a pipe.
func archives(t *testing.T, members []member, each func(t *testing.T, target string, o source.Options)) {
	t.Helper()
	plain := pack(t, members...)
	for _, form := range []struct {
		name string
		body []byte
	}{{"x.tar", plain}, {"x.tar.gz", gz(plain)}, {"x.tar.zst", zst(plain)}} {
		t.Run(form.name, func(t *testing.T) { each(t, store(t, form.name, form.body), options(t)) })
		t.Run("pipe "+form.name, func(t *testing.T) {
			o := options(t)
			o.Stdin = bytes.NewReader(form.body)
			each(t, "-", o)
		})
	}
}

func TestArchives(t *testing.T) {
	a, b := layer(t, "a"), layer(t, "b")
	dotted := func(ms []member) []member {
		for i := range ms {
			ms[i].name = "./" + ms[i].name
		}
		return ms
	}
	linked := func(kind byte, target string) []member {
		ms := save(nil, a, a)
		ms[1] = member{name: "1/layer.tar", kind: kind, link: target}
		return ms
	}
	both := func() []member {
		l := newLayout()
		entry := with(l.image("linux/amd64", a, b), "annotations", doc{
			"io.containerd.image.name": "docker.io/library/x:1", "org.opencontainers.image.ref.name": "1"})
		cfg := config("linux/amd64", a, b)
		return append(l.with(entry), file("manifest.json", []doc{{
			"Config": "blobs/sha256/" + hex(cfg), "RepoTags": []string{"x:1"},
			"Layers": []string{"blobs/sha256/" + hex(a), "blobs/sha256/" + hex(b)},
		}}))
	}
	stored := func(layerType string, stored ...[]byte) []member {
		l := newLayout()
		return l.with(l.stored(layerType, config("linux/amd64", a, b), stored...))
	}
	aliased := func() []member {
		ms := save(nil, a, b)
		entry := doc{"Config": ms[2].name, "Layers": []string{"0/layer.tar", "1/layer.tar"},
			"LayerSources": doc{digest(a): doc{"digest": digest(a)}, digest(b): doc{"digest": digest(a)}}}
		ms[3] = file("manifest.json", []doc{entry})
		return ms
	}
	reversed := save([]string{"x:1"}, a, b)
	slices.Reverse(reversed)
	gzipped := save(nil, a, b)
	gzipped[0].body, gzipped[1].body = gz(a), gz(b)
	mixed := save(nil, a, b)
	mixed[1].body = zst(b)

	const saved, oci = "docker-archive linux/amd64 x:1: 0/a 1/b\n", "oci-archive linux/amd64 : 0/a 1/b\n"
	untagged := strings.Replace(saved, "x:1", "", 1)
	for _, tt := range []struct {
		name    string
		members []member
		want    string
	}{
		{"saved, one folder per layer (D58)", save([]string{"x:1"}, a, b), saved},
		{"saved, manifest first", reversed, saved},
		{"saved, ./ names (D58)", dotted(save([]string{"x:1"}, a, b)), saved},
		{"saved, gzip inside (D57)", gzipped, untagged},
		{"saved, plain and zstd inside (D56)", mixed, untagged},
		{"saved, symlinked layer", linked(tar.TypeSymlink, "../0/layer.tar"), "docker-archive linux/amd64 : 0/a 1/a\n"},
		{"saved, hard-linked layer", linked(tar.TypeLink, "0/layer.tar"), "docker-archive linux/amd64 : 0/a 1/a\n"},
		{"saved, no layer", save([]string{"x:1"}), "docker-archive linux/amd64 x:1:\n"},
		{"saved, aliased by LayerSources", aliased(), untagged},
		{"saved as OCI too (D58)", both(), saved},
		{"OCI alone (D58)", stored(ociLayer, a, b), oci},
		{"OCI, zstd (D55)", stored(ociLayer+"+zstd", zst(a), zst(b)), oci},
		{"OCI, Docker's zstd (D55)", stored("application/vnd.docker.image.rootfs.diff.tar.zstd", zst(a), zst(b)), oci},
		{"OCI, called gzip and plain (D56)", stored(ociLayer+"+gzip", gz(a), b), oci +
			"  remark: layer 2: its media type says gzip, its bytes none; runtimes go by the bytes\n"},
		{"OCI, called plain and gzip (D56)", stored(ociLayer, a, gz(b)), oci +
			"  ambiguous: layer 2: its media type says that it is not compressed, its bytes are gzip; runtimes differ on whether to decompress it\n"},
		{"OCI, Docker's plain type and gzip (D56)", stored("application/vnd.docker.image.rootfs.diff.tar", a, gz(b)), oci},
	} {
		t.Run(tt.name, func(t *testing.T) {
			archives(t, tt.members, func(t *testing.T, target string, o source.Options) {
				if got := describe(t, target, o); got != tt.want {
					t.Errorf("got  %swant %s", got, tt.want)
				}
			})
		})
	}
}

func TestArchivesRefused(t *testing.T) {
	a, b := layer(t, "a"), layer(t, "b")
	changed := func(change func(ms []member) []member) []member { return change(save([]string{"x:1"}, a, b)) }
	listed := func(entries any) []member {
		return changed(func(ms []member) []member { return append(ms[:3], file("manifest.json", entries)) })
	}
	entry := func(cfg []byte, layers ...string) []member {
		return changed(func(ms []member) []member {
			return append(ms[:3], file("c.json", cfg), file("manifest.json", []doc{{"Config": "c.json", "Layers": layers}}))
		})
	}
	good := config("linux/amd64", a, b)
	both := func(cfg []byte, name string, l *layout, d doc) []member {
		return append(l.with(named(d, name)), file("a", a), file("b", b), file("c.json", cfg),
			file("manifest.json", []doc{{"Config": "c.json", "RepoTags": []string{"x:1"}, "Layers": []string{"a", "b"}}}))
	}
	for _, tt := range []struct {
		name    string
		members []member
		want    string // or, behind a bar, what is known of it in a pipe
	}{
		{"manifest twice", changed(func(ms []member) []member { return append(ms, ms[3]) }), `"manifest.json" stands more than once`},
		{"manifest twice, once with ./", changed(func(ms []member) []member { return append(ms, file("./manifest.json", ms[3].body)) }), "stands more than once"},
		{"layer twice", changed(func(ms []member) []member { return append(ms, file("1/layer.tar", a)) }), `"1/layer.tar" stands more than once`},
		{"config twice", changed(func(ms []member) []member { return append(ms, ms[2]) }), "stands more than once"},
		{"directory as a layer", changed(func(ms []member) []member { ms[1] = member{name: "1/layer.tar", kind: tar.TypeDir}; return ms }), "no regular file"},
		{"device as a layer", changed(func(ms []member) []member { ms[1] = member{name: "1/layer.tar", kind: tar.TypeChar}; return ms }), "no regular file"},
		{"pipe as a config", changed(func(ms []member) []member { ms[2].kind, ms[2].body = tar.TypeFifo, nil; return ms }), "no regular file"},
		{"layer missing", changed(func(ms []member) []member { return ms[1:] }), `"0/layer.tar" is not in the archive`},
		{"link out of the archive (D4)", changed(func(ms []member) []member {
			ms[1] = member{name: "1/layer.tar", kind: tar.TypeSymlink, link: "../../0/layer.tar"}
			return ms
		}), "link to what is not in the archive"},
		{"absolute link", changed(func(ms []member) []member {
			ms[1] = member{name: "1/layer.tar", kind: tar.TypeSymlink, link: "/0/layer.tar"}
			return ms
		}), "link to what is not in the archive"},
		{"link to itself", changed(func(ms []member) []member {
			ms[1] = member{name: "1/layer.tar", kind: tar.TypeSymlink, link: "layer.tar"}
			return ms
		}), "link to a link"},
		{"member below a link", changed(func(ms []member) []member {
			return append(ms, member{name: "z", kind: tar.TypeSymlink, link: "."}, file("z/manifest.json", "[]"))
		}), "below a symbolic link"},
		{"config that is not its name (D10)", changed(func(ms []member) []member { ms[2].body = config("linux/arm64", a, b); return ms }), "is not what it is named"},
		{"null list", listed("null"), "lists no image|is no document"},
		{"empty list", listed("[]"), "lists no image"},
		{"no list", listed("{}"), "does not belong there"},
		{"null entry", listed("[null]"), "names no member"},
		{"data behind the list", listed(string(save(nil, a)[2].body) + "{}"), "after top-level value"},
		{"absolute config", listed([]doc{{"Config": "/etc/passwd", "Layers": []string{}}}), "names no member"},
		{"layer above", entry(good, "../a", "b"), "names no member"},
		{"layer without a name", entry(good, "", "b"), "names no member"},
		{"more layers than diff IDs", entry(config("linux/amd64", a), "0/layer.tar", "1/layer.tar"), "the config names 1 layers, manifest.json 2"},
		{"no diff IDs", entry(config("linux/amd64"), "0/layer.tar"), "the config names 0 layers"},
		{"missing rootfs", entry([]byte(`{"os":"linux"}`), "0/layer.tar"), "has no rootfs"},
		{"null config", entry([]byte(`null`)), "has no rootfs|is no document"},
		{"other image in the index", func() []member {
			l := newLayout()
			return both(good, "1", l, l.image("linux/amd64", b))
		}(), "can be read as different images: index.json lists an image that manifest.json lacks"},
		{"layers swapped in the index", func() []member {
			l := newLayout()
			return both(good, "1", l, l.image("linux/amd64", b, a))
		}(), "can be read as different images"},
		{"more images in the manifest", func() []member {
			l := newLayout()
			ms := both(good, "1", l, l.image("linux/amd64", a, b))
			other := config("linux/amd64", b)
			ms[len(ms)-1] = file("manifest.json", []doc{{"Config": "c.json", "Layers": []string{"a", "b"}}, {"Config": "d.json", "Layers": []string{"b"}}})
			return append(ms, file("d.json", other))
		}(), "manifest.json lists an image that index.json lacks"},
		{"names swapped", func() []member {
			l := newLayout()
			ca, cb := config("linux/amd64", a), config("linux/amd64", b)
			return append(l.with(named(l.image("linux/amd64", a), "x:a"), named(l.image("linux/amd64", b), "docker.io/library/x:b")),
				file("a", a), file("b", b), file("ca.json", ca), file("cb.json", cb), file("manifest.json", []doc{
					{"Config": "ca.json", "RepoTags": []string{"x:b"}, "Layers": []string{"a"}},
					{"Config": "cb.json", "RepoTags": []string{"x:a"}, "Layers": []string{"b"}}}))
		}(), "is another one in index.json"},
		{"form of old engines (D1)", []member{file("repositories", "{}"), file("0/json", "{}"), file("0/layer.tar", a)}, "engines before 1.10"},
		{"root filesystem (D9)", []member{{name: "etc/", kind: tar.TypeDir}, file("etc/passwd", "root:x:0:0::/:/bin/sh\n")}, "root filesystem, not an image"},
		{"something else", []member{file("readme.txt", "text")}, "neither manifest.json nor index.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			archives(t, tt.members, func(t *testing.T, target string, o source.Options) {
				file, piped, _ := strings.Cut(tt.want, "|")
				_, err := refused(t, target, o)
				if !strings.Contains(err.Error(), file) && (piped == "" || !strings.Contains(err.Error(), piped)) {
					t.Errorf("got %v\nwant %s", err, tt.want)
				}
			})
		})
	}
}

// An entry of a few bytes can stand for a file of any size.
func TestArchiveSparseConfig(t *testing.T) {
	ms := save(nil, layer(t, "a"))
	body := append([]byte("1\n0\n0\n"), make([]byte, 506)...)
	raw := pack(t, ms[0], member{name: "manifest.json", body: ms[2].body})
	raw = append(raw[:len(raw)-1024], sparse(ms[1].name, body)...)
	archive := store(t, "x.tar", raw)
	if _, err := refused(t, archive, options(t)); !strings.Contains(err.Error(), "is a sparse file") {
		t.Error(err)
	}
	o := options(t)
	o.Stdin = bytes.NewReader(raw)
	if _, err := refused(t, "-", o); !strings.Contains(err.Error(), "is a sparse file") {
		t.Error(err)
	}
}

// sparse is a PAX 1.0 sparse entry of 100 GiB and the end of the archive. The
// writer of archive/tar makes none, so its records are put in front of a plain
// header.
func sparse(name string, body []byte) []byte {
	var b bytes.Buffer
	record := func(k, v string) string {
		for n := len(k) + len(v) + 4; ; n++ {
			if r := strings.Join([]string{strconv.Itoa(n), " ", k, "=", v, "\n"}, ""); len(r) == n {
				return r
			}
		}
	}
	records := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
		record("GNU.sparse.name", name) + record("GNU.sparse.realsize", "107374182400")
	header := func(name string, kind byte, size int) {
		h := make([]byte, 512)
		copy(h, name)
		copy(h[100:], "0000644\x000000000\x000000000\x00")
		copy(h[124:], octal(size))
		copy(h[136:], "00000000000\x00")
		h[156] = kind
		copy(h[257:], "ustar\x0000")
		copy(h[148:], "        ")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], octal(sum)[5:])
		b.Write(h)
	}
	header("x", 'x', len(records))
	b.WriteString(records + strings.Repeat("\x00", 512-len(records)%512))
	header(name, '0', len(body))
	b.Write(body)
	b.Write(make([]byte, 1024))
	return b.Bytes()
}

func octal(n int) string { return fmt.Sprintf("%011o\x00", n) }

func TestArchiveOfSeveral(t *testing.T) { // D59
	a, b := layer(t, "a"), layer(t, "b")
	one, two := save([]string{"x:1", "x:latest"}, a), save([]string{"y:2"}, b)
	two[0].name = "other/layer.tar"
	list := []doc{
		{"Config": one[1].name, "RepoTags": []string{"x:1", "x:latest"}, "Layers": []string{"0/layer.tar"}},
		{"Config": two[1].name, "RepoTags": []string{"y:2"}, "Layers": []string{"other/layer.tar"}},
	}
	saved := []member{one[0], one[1], two[0], two[1], file("manifest.json", list)}
	l := newLayout()
	x := l.image("linux/amd64", a)
	listed := l.with(named(x, "x:1"), named(x, "x:latest"), named(l.image("linux/amd64", b), "y:2"))

	for _, form := range []struct {
		kind, y string
		members []member
		index   string // of y
	}{{"docker-archive", digest(config("linux/amd64", b)), saved, "2"}, {"oci-archive", "", listed, "3"}} {
		wantX, wantY := form.kind+" linux/amd64 x:1,x:latest: 0/a\n", form.kind+" linux/amd64 y:2: 0/b\n"
		archives(t, form.members, func(t *testing.T, target string, o source.Options) {
			var data []byte
			if o.Stdin != nil {
				var err error
				if data, err = io.ReadAll(o.Stdin); err != nil {
					t.Fatal(err)
				}
			}
			for pick, want := range map[string]string{
				"":                       strings.Replace(wantX, " ", "@x:1 ", 1) + strings.Replace(wantY, " ", "@y:2 ", 1),
				"@y:2":                   wantY,
				"@docker.io/library/y:2": wantY,
				"@x":                     wantX,
				"@" + form.index:         wantY,
			} {
				o.Stdin = bytes.NewReader(data)
				got := describe(t, target+pick, o)
				if form.kind == "oci-archive" && pick == "@x" {
					want = strings.Replace(want, "x:1,", "", 1) // the other name was not asked for
				}
				if got != want {
					t.Errorf("%s: got  %swant %s", pick, got, want)
				}
			}
			o.Stdin = bytes.NewReader(data)
			hint, err := refused(t, target+"@z:3", o)
			if !strings.Contains(err.Error(), `no image "z:3"`) || !strings.Contains(hint, "x:1") || !strings.Contains(hint, "y:2") {
				t.Errorf("got %v, hint %s", err, hint)
			}
		})
	}
}

func TestArchivePlatform(t *testing.T) {
	archives(t, save(nil, layer(t, "a")), func(t *testing.T, target string, o source.Options) {
		o.Platform = "linux/arm64"
		if _, err := refused(t, target, o); !strings.Contains(err.Error(), "not there for linux/arm64, only for linux/amd64") {
			t.Error(err)
		}
	})
}

func TestArchiveLimits(t *testing.T) {
	members := save([]string{"x:1"}, layer(t, "a"), layer(t, "b"))
	for _, tt := range []struct {
		name  string
		lower func(*limits.Limits)
		flag  string
		piped bool // the limit only concerns what passes
	}{
		{"members", func(l *limits.Limits) { l.Members = 3 }, "--max-members", false},
		{"manifest", func(l *limits.Limits) { l.ManifestBytes = 50 }, "--max-manifest-bytes", false},
		{"config", func(l *limits.Limits) { l.ConfigBytes = 50 }, "--max-config-bytes", false},
		{"layers", func(l *limits.Limits) { l.Layers = 1 }, "--max-layers", false},
		{"values", func(l *limits.Limits) { l.JSONElements = 5 }, "--max-json-elements", false},
		{"names", func(l *limits.Limits) { l.PathBytes = 5 }, "--max-path-bytes", false},
		{"bytes", func(l *limits.Limits) { l.ImageBytes = 2000 }, "--max-image-bytes", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			archives(t, members, func(t *testing.T, target string, o source.Options) {
				if tt.piped && strings.HasSuffix(target, ".tar") {
					t.Skip("only for what passes")
				}
				lim := limits.Default()
				tt.lower(&lim)
				o.Scanner = image.NewScanner(nil, lim)
				hint, err := refused(t, target, o)
				if !strings.Contains(err.Error(), "limit") || hint != "raise it with "+tt.flag {
					t.Errorf("got %v, hint %q", err, hint)
				}
			})
		})
	}
}

func TestArchiveCutShort(t *testing.T) {
	plain := pack(t, save(nil, layer(t, "a"))...)
	for name, body := range map[string][]byte{
		"x.tar": plain[:1800], "x.tar.gz": gz(plain)[:300], "sum.tar.gz": append(gz(plain)[:len(gz(plain))-8], 1, 2, 3, 4, 5, 6, 7, 8),
	} {
		t.Run(name, func(t *testing.T) { refused(t, store(t, name, body), options(t)) })
	}
}

// What is swapped behind a name that manifest.json gives is found when the layer
// is read.
func TestArchiveWrongLayer(t *testing.T) {
	ms := save(nil, layer(t, "a"), layer(t, "b"))
	ms[1].body = layer(t, "evil")
	archives(t, ms, func(t *testing.T, target string, o source.Options) {
		if got := describe(t, target, o); !strings.Contains(got, "unread: layer 2: is not the layer the image names") {
			t.Error(got)
		}
	})
}

func TestArchiveTextAsLayer(t *testing.T) {
	ms := save(nil, []byte("just text"))
	archives(t, ms, func(t *testing.T, target string, o source.Options) {
		if got := describe(t, target, o); !strings.Contains(got, "unread: layer 1:") {
			t.Error(got)
		}
	})
}

// However an archive comes, the same is read of it.
func FuzzArchive(f *testing.F) {
	l := newLayout()
	a := layer(f, "a")
	f.Add(pack(f, save([]string{"x:1"}, a, gz(a))...))
	f.Add(pack(f, l.with(named(l.image("linux/amd64", a), "x:1"))...))
	f.Add(sparse("manifest.json", make([]byte, 512)))
	f.Fuzz(func(t *testing.T, b []byte) {
		o := options(t)
		o.From, o.Stdin = "archive", bytes.NewReader(b)
		piped, perr := source.Open(t.Context(), "-", o)
		stored, serr := source.Open(t.Context(), store(t, "x.tar", b), o)
		if (perr == nil) != (serr == nil) {
			t.Fatalf("pipe: %v, file: %v", perr, serr)
		}
		if perr != nil {
			return
		}
		defer stored.Close()
		for i, src := range stored.Sources {
			if other := piped.Sources[i]; src.Digest != other.Digest || !slices.Equal(src.Tags, other.Tags) || len(src.Layers) != len(other.Layers) {
				t.Errorf("got %+v from the file, %+v from the pipe", src, other)
			}
			img, err := o.Scanner.Load(t.Context(), src)
			if err != nil || len(img.Layers) != len(src.Config.DiffIDs) {
				t.Errorf("got %d layers, %v", len(img.Layers), err)
			}
		}
	})
}

func TestArchiveNoTar(t *testing.T) {
	for _, tt := range []struct{ name, body, want, hint string }{
		{"empty", "", "it is empty", ""},
		{"text", "FROM scratch\n", "it is text", "--from dockerfile"},
		{"noise", "\x7fELF\x00\x00\x00", "neither a tar archive", "docker save"},
		{"text in gzip", string(gz([]byte("FROM scratch\n"))), "reading member 0", "save the image again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hint, err := refused(t, store(t, tt.name, []byte(tt.body)), options(t))
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint, tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

func TestArchiveCanceled(t *testing.T) {
	p := store(t, "x.tar", pack(t, save(nil, layer(t, "a"))...))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source.Open(ctx, p, options(t)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

package rules

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/cache"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// BenchmarkAudit reports how long a whole audit with all rules takes, as a
// multiple of the floor measured right beside it. The fastest run of each counts:
// what other work on the machine adds is not theirs.
func BenchmarkAudit(b *testing.B) {
	const size = 500 << 20
	img, err := scantest.Big(size)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []scantest.Compression{scantest.Gzip, scantest.Plain} {
		name := "gzip"
		if c == scantest.Plain {
			name = "plain"
		}
		b.Run(name, func(b *testing.B) {
			layers, err := img.Store(c)
			if err != nil {
				b.Fatal(err)
			}
			audit, floor := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				if err := scantest.Floor(layers, c); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				auditLayers(b, img, layers, nil)
				floor = min(floor, between.Sub(start))
				audit = min(audit, time.Since(between))
			}
			b.ReportMetric(float64(audit)/float64(floor), "×floor")
			b.ReportMetric(size/1e6/audit.Seconds(), "MB/s")
			b.ReportMetric(audit.Seconds(), "s/audit")
		})
	}
}

// BenchmarkSecondAudit reports how long an audit takes when all layers were read by an
// earlier run, as they are from a registry: none is downloaded.
func BenchmarkSecondAudit(b *testing.B) {
	for _, small := range []int64{20, 80} { // percent of the bytes: 18,000 and 72,000 entries
		b.Run(fmt.Sprint(small), func(b *testing.B) {
			img, err := scantest.Shape{Bytes: 500 << 20, Layers: 6, Small: small}.Image()
			if err != nil {
				b.Fatal(err)
			}
			layers, err := img.Store(scantest.Plain)
			if err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			cachedAudit(b, img, layers, dir)
			second := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				cachedAudit(b, img, layers, dir)
				second = min(second, time.Since(start))
			}
			b.ReportMetric(second.Seconds(), "s/second")
		})
	}
}

// cachedAudit audits as a run of its own does, with a cache in dir.
func cachedAudit(b *testing.B, img *scantest.Image, layers []scantest.Stored, dir string) {
	c, err := cache.Open(dir, "1", 1<<30)
	if err != nil {
		b.Fatal(err)
	}
	auditLayers(b, img, layers, &image.Known{Store: c})
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
}

func auditLayers(b *testing.B, img *scantest.Image, layers []scantest.Stored, known *image.Known) {
	cfg, problems, err := image.ParseConfig(img.Config, limits.Default())
	if err != nil || len(problems) > 0 {
		b.Fatal(err, problems)
	}
	src := &image.Source{Name: "big", Config: cfg}
	for _, l := range layers {
		src.Layers = append(src.Layers, image.Blob{Digest: l.Digest, Size: l.Size, Name: l.Digest, Addressed: true,
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(l.Reader()), nil }})
	}
	s := image.NewScanner(scan.Probes(All()), limits.Default())
	s.Known = known
	loaded, err := s.Load(b.Context(), src)
	if err != nil || !loaded.Complete() {
		b.Fatal(err, loaded.Problems)
	}
	scan.Run(scan.Target{Name: "big", Kind: "test", Image: loaded}, All(), scan.Options{}, limits.Default())
}

// BenchmarkSharedBase reports what five images on one base cost, as a multiple of what
// the first does: each has a layer of its own on top, of a twelfth of the bytes. In one
// run the layers are known in memory, in five by the cache.
func BenchmarkSharedBase(b *testing.B) {
	const size = 240 << 20
	store := func(s scantest.Shape) (*scantest.Image, []scantest.Stored) {
		img, err := s.Image()
		if err != nil {
			b.Fatal(err)
		}
		layers, err := img.Store(scantest.Gzip)
		if err != nil {
			b.Fatal(err)
		}
		return img, layers
	}
	base, below := store(scantest.Shape{Bytes: size, Layers: 6, Small: 20})
	own, tops := store(scantest.Shape{Bytes: size * 5 / 12, Layers: 5, Small: 20})
	var images []*scantest.Image
	for _, l := range own.Layers {
		img, err := scantest.NewImage(nil, append(slices.Clone(base.Layers), l)...)
		if err != nil {
			b.Fatal(err)
		}
		images = append(images, img)
	}
	five := func(b *testing.B, audit func(i int, layers []scantest.Stored)) {
		first, all := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		for b.Loop() {
			start := time.Now()
			for i := range images {
				audit(i, append(slices.Clone(below), tops[i]))
				if i == 0 {
					first = min(first, time.Since(start))
				}
			}
			all = min(all, time.Since(start))
		}
		b.ReportMetric(float64(all)/float64(first), "×first")
		b.ReportMetric(first.Seconds(), "s/first")
	}
	b.Run("one run", func(b *testing.B) {
		var known *image.Known
		five(b, func(i int, layers []scantest.Stored) {
			if i == 0 {
				known = &image.Known{}
			}
			auditLayers(b, images[i], layers, known)
		})
	})
	b.Run("five runs", func(b *testing.B) {
		var dir string
		five(b, func(i int, layers []scantest.Stored) {
			if i == 0 {
				dir = b.TempDir()
			}
			cachedAudit(b, images[i], layers, dir)
		})
	})
}

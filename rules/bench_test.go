package rules

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

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
				auditLayers(b, img, layers)
				floor = min(floor, between.Sub(start))
				audit = min(audit, time.Since(between))
			}
			b.ReportMetric(float64(audit)/float64(floor), "×floor")
			b.ReportMetric(size/1e6/audit.Seconds(), "MB/s")
			b.ReportMetric(audit.Seconds(), "s/audit")
		})
	}
}

func auditLayers(b *testing.B, img *scantest.Image, layers []scantest.Stored) {
	cfg, problems, err := image.ParseConfig(img.Config, limits.Default())
	if err != nil || len(problems) > 0 {
		b.Fatal(err, problems)
	}
	src := &image.Source{Name: "big", Config: cfg}
	for _, l := range layers {
		src.Layers = append(src.Layers, image.Blob{Digest: l.Digest, Size: l.Size, Name: l.Digest,
			Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(l.Reader()), nil }})
	}
	s := image.NewScanner(scan.Probes(All()), limits.Default())
	loaded, err := s.Load(b.Context(), src)
	if err != nil || !loaded.Complete() {
		b.Fatal(err, loaded.Problems)
	}
	scan.Run(scan.Target{Name: "big", Kind: "test", Image: loaded}, All(), scan.Options{}, limits.Default())
}

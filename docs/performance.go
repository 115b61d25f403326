//go:build ignore

// Performance measures how an audit grows with bytes, entries and layers beside the
// floor (see performance.md), prints the figures and draws them as performance.svg:
//
//	go run docs/performance.go
//
// It runs on Linux, needs 10 GB of memory and some ten minutes of a quiet machine, and
// runs the program as users do, on archives in the page cache.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// A point is one image, measured.
type point struct {
	x            float64
	floor, audit float64 // seconds, the fastest of all runs
	second       float64 // likewise, of an audit that finds all layers in the cache
	peak         float64 // MB
}

// A series is a row of images that differ in one thing.
type series struct {
	title, unit string
	compression scantest.Compression
	points      []point
}

const runs = 7

func main() {
	log.SetFlags(0)
	log.SetPrefix("performance: ")
	dir, err := os.MkdirTemp("", "")
	if err == nil {
		err = errors.Join(measure(dir), os.RemoveAll(dir))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func measure(dir string) error {
	program := filepath.Join(dir, "sandbox-audit")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/sandbox-audit").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	byBytes := series{title: "bytes (gzip, 6 layers, 50 entries/MB)", unit: "MB", compression: scantest.Gzip}
	byEntries := series{title: "entries (plain, 6 layers, 500 MB)", unit: "thousand", compression: scantest.Plain}
	byLayers := series{title: "layers (plain, 500 MB, 50 entries/MB)", unit: "layers", compression: scantest.Plain}
	for _, mb := range []int64{125, 250, 500, 1000, 2000} {
		if err := byBytes.add(program, scantest.Shape{Bytes: mb * 1e6, Layers: 6, Small: 20}, float64(mb)); err != nil {
			return err
		}
	}
	for _, small := range []int64{0, 10, 20, 40, 60, 80} {
		if err := byEntries.add(program, scantest.Shape{Bytes: 500e6, Layers: 6, Small: small}, math.NaN()); err != nil {
			return err
		}
	}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
		if err := byLayers.add(program, scantest.Shape{Bytes: 500e6, Layers: n, Small: 20}, float64(n)); err != nil {
			return err
		}
	}
	fmt.Printf("%d cores, the fastest of %d runs\n", runtime.GOMAXPROCS(0), runs)
	for _, s := range []series{byBytes, byEntries, byLayers} {
		s.print()
	}
	return os.WriteFile("docs/performance.svg", picture(byBytes, byEntries, byLayers), 0o644)
}

// add measures one image; x is its place on the axis, or NaN for its entries.
func (s *series) add(program string, shape scantest.Shape, x float64) error {
	img, err := shape.Image()
	if err != nil {
		return err
	}
	if math.IsNaN(x) {
		x = float64(entries(img)) / 1000
	}
	archive := filepath.Join(filepath.Dir(program), "image.tar")
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	if err := errors.Join(img.OCIArchive(f, "big:latest", s.compression, true), f.Close()); err != nil {
		return err
	}
	layers, err := img.Store(s.compression)
	if err != nil {
		return err
	}
	if layers, err = inFile(layers, archive); err != nil {
		return err
	}
	p := point{x: x, floor: math.Inf(1), audit: math.Inf(1), second: math.Inf(1)}
	for range runs {
		start := time.Now()
		if err := scantest.Floor(layers, s.compression); err != nil {
			return err
		}
		p.floor = min(p.floor, time.Since(start).Seconds())
		start = time.Now()
		if _, err := audit(program, archive, "--no-cache"); err != nil {
			return err
		}
		p.audit = min(p.audit, time.Since(start).Seconds())
	}
	if p.second, err = secondAudit(program, archive); err != nil {
		return err
	}
	img = nil
	debug.FreeOSMemory()
	// A child's peak begins as that of the process that starts it, so forget this
	// one's (proc_pid_clear_refs(5)).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	p.peak, err = audit(program, archive, "--no-cache")
	s.points = append(s.points, p)
	return err
}

// inFile returns the layers as they lie in the archive, so that the floor reads
// what an audit reads.
func inFile(layers []scantest.Stored, archive string) ([]scantest.Stored, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	at := map[string]int64{}
	for tr := tar.NewReader(f); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if at["sha256:"+path.Base(h.Name)], err = f.Seek(0, io.SeekCurrent); err != nil {
			return nil, err
		}
	}
	for i, l := range layers {
		layers[i].Body = io.NewSectionReader(f, at[l.Digest], l.Size)
	}
	return layers, nil
}

// secondAudit returns the seconds that an audit takes after one that kept its layers.
// Files that were changed just now are not known again, so it waits.
func secondAudit(program, archive string) (float64, error) {
	dir := filepath.Join(filepath.Dir(program), "cache")
	time.Sleep(3 * time.Second)
	second := math.Inf(1)
	for i := range runs + 1 {
		start := time.Now()
		if _, err := audit(program, archive, "--cache-dir", dir); err != nil {
			return 0, err
		}
		if i > 0 {
			second = min(second, time.Since(start).Seconds())
		}
	}
	return second, os.RemoveAll(dir)
}

// audit runs the program once, as users do, and returns its largest resident set in
// MB.
func audit(program, archive string, flags ...string) (float64, error) {
	cmd := exec.Command(program, append(flags, archive)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // there are findings
		return 0, fmt.Errorf("%w: %s", err, stderr.String())
	}
	const kib = 1024 // of ru_maxrss on Linux (getrusage(2))
	return float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * kib / 1e6, nil
}

func entries(img *scantest.Image) int {
	n := 0
	for _, l := range img.Layers {
		for tr := tar.NewReader(bytes.NewReader(l)); ; n++ {
			if _, err := tr.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				log.Fatal(err)
			}
		}
	}
	return n
}

func (s series) print() {
	fmt.Printf("\n%s\n\n| %s | floor, s | audit, s | audit / floor | second, s | peak, MB |\n|---:|---:|---:|---:|---:|---:|\n", s.title, s.unit)
	for _, p := range s.points {
		fmt.Printf("| %.0f | %.2f | %.2f | %.2f | %.2f | %.0f |\n", p.x, p.floor, p.audit, p.audit/p.floor, p.second, p.peak)
	}
}

// The picture: one panel a series, and one for memory.
const width, height, margin = 300, 200, 48

const style = `text{font:12px system-ui,sans-serif;fill:#1f2933}.axis{stroke:#9aa5b1}.floor{stroke:#9aa5b1;fill:none;stroke-width:2;stroke-dasharray:5 3}.audit{stroke:#2563eb;fill:none;stroke-width:2}`

func picture(all ...series) []byte {
	var b bytes.Buffer
	w := (width + margin) * 2
	h := (height + 2*margin) * 2
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"time and memory of an audit\">\n<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", w, h, style)
	for i, s := range all {
		panel(&b, i, "seconds, by "+s.title, s, func(p point) float64 { return p.audit }, func(p point) float64 { return p.floor })
	}
	panel(&b, len(all), "peak MB, by bytes, as first", all[0], func(p point) float64 { return p.peak }, nil)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">solid: audit; dashed: floor</text>\n</svg>\n", margin, h-8)
	return b.Bytes()
}

func panel(b *bytes.Buffer, i int, title string, s series, audit, floor func(point) float64) {
	var maxX, maxY float64
	for _, p := range s.points {
		maxX, maxY = max(maxX, p.x), max(maxY, audit(p))
	}
	maxY *= 1.1
	fmt.Fprintf(b, "<g transform=\"translate(%d %d)\">\n", margin+i%2*(width+margin), margin+i/2*(height+2*margin))
	fmt.Fprintf(b, "<text y=\"-12\">%s</text>\n<path class=\"axis\" fill=\"none\" d=\"M0 0V%dH%d\"/>\n", title, height, width-margin)
	fmt.Fprintf(b, "<text x=\"-4\" y=\"10\" text-anchor=\"end\">%.3g</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f %s</text>\n", maxY, width-margin, height+16, maxX, s.unit)
	line := func(class string, y func(point) float64) {
		var at []string
		for _, p := range s.points {
			at = append(at, fmt.Sprintf("%.1f %.1f", p.x/maxX*(width-margin), height-y(p)/maxY*height))
		}
		fmt.Fprintf(b, "<path class=\"%s\" d=\"M%s\"/>\n", class, strings.Join(at, "L"))
	}
	if floor != nil {
		line("floor", floor)
	}
	line("audit", audit)
	fmt.Fprintln(b, "</g>")
}

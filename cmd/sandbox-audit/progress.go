package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// progress tells on a terminal how far the layers of a target are, once that takes
// longer than a second. A nil progress is quiet.
type progress struct {
	w       io.Writer
	columns int // of the terminal; 0 if unknown
	target  string
	stop    chan struct{}
	ended   sync.WaitGroup

	mu     sync.Mutex
	what   string // what it is at
	layers []*layerProgress
	named  map[string]*layerProgress
	known  bool // layers are all there are; from a pipe more may come
}

// layerProgress is how far one layer is.
type layerProgress struct {
	number     int   // as reports count them, if all are known
	read, size int64 // stored bytes; a size below 0 is unknown
	done       bool
}

// newProgress starts telling about one target. It ends with ctx, or earlier with end.
func newProgress(ctx context.Context, w io.Writer, columns int, target string) *progress {
	p := &progress{w: w, columns: columns, target: target, what: "reading", stop: make(chan struct{}), named: map[string]*layerProgress{}}
	p.ended.Go(func() { p.tell(ctx) })
	return p
}

func (p *progress) tell(ctx context.Context) {
	wait := time.NewTimer(time.Second)
	defer wait.Stop()
	said := false
	for {
		select {
		case <-ctx.Done():
		case <-p.stop:
		case <-wait.C:
			said = true
			fmt.Fprint(p.w, "\r\x1b[K"+p.line())
			wait.Reset(200 * time.Millisecond)
			continue
		}
		if said {
			fmt.Fprint(p.w, "\r\x1b[K")
		}
		return
	}
}

// open takes over what there is to read of images that were found. One layer of
// several images is read once.
func (p *progress) open(sources []*image.Source) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.layers, p.known = nil, true
	p.named = map[string]*layerProgress{}
	for _, src := range sources {
		for i, b := range src.Layers {
			if p.named[b.Name] == nil {
				l := &layerProgress{number: i + 1, size: b.Size, done: b.Content != nil}
				p.named[b.Name] = l
				p.layers = append(p.layers, l)
			}
		}
	}
}

// read is told of stored bytes of a layer as they are read.
func (p *progress) read(layer string, n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.named[layer]
	if l == nil {
		l = &layerProgress{number: len(p.layers) + 1, size: -1}
		p.named[layer] = l
		p.layers = append(p.layers, l)
	}
	l.read += int64(n)
}

// done is told of a layer of which nothing is left to be read.
func (p *progress) done(layer string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.named[layer]; l != nil {
		l.done = true
	}
}

// turnTo is told what comes next: "reading" layers, or "judging" what was read.
func (p *progress) turnTo(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// line says how far it is. It is cut to the columns of the terminal, as only one line
// can be cleared.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	what, done := p.what+" ", ""
	switch {
	case p.what != "reading":
	case len(p.layers) == 0:
		what = "opening "
	default:
		done = p.far()
	}
	name := []rune(p.target)
	if room := p.columns - 1 - len(what) - len(done); p.columns > 0 && len(name) > room {
		name = append(name[:max(0, room-3)], []rune("...")...)
	}
	line := []rune(what + string(name) + done)
	if p.columns > 0 && len(line) > p.columns-1 {
		line = line[:max(0, p.columns-1)]
	}
	return string(line)
}

// far is how many layers are done, and how far the one is of which most is left.
func (p *progress) far() string {
	var read, size int64
	var done int
	var slow *layerProgress
	sized := p.known
	for _, l := range p.layers {
		n := l.read
		switch {
		case l.done:
			done++
			n = max(n, l.size)
		case l.read > 0 && (slow == nil || l.left() > slow.left()):
			slow = l
		}
		sized = sized && l.size >= 0
		read += n
		size += max(n, l.size)
	}
	if !p.known {
		last := p.layers[len(p.layers)-1]
		return fmt.Sprintf(": layer %d: %d MB, %d MB in all", last.number, last.read/1e6, read/1e6)
	}
	far := fmt.Sprintf(": %d of %d layers, %d", done, len(p.layers), read/1e6)
	if sized {
		far += fmt.Sprintf(" of %d", size/1e6)
	}
	far += " MB"
	if slow != nil && slow.size >= 0 {
		far += fmt.Sprintf("; layer %d: %d of %d MB", slow.number, slow.read/1e6, slow.size/1e6)
	}
	return far
}

func (l *layerProgress) left() int64 { return l.size - l.read }

// end clears the line.
func (p *progress) end() {
	if p != nil {
		close(p.stop)
		p.ended.Wait()
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// progress tells on a terminal what is being read, once that takes longer than a
// second. A nil progress is quiet.
type progress struct {
	w     io.Writer
	bytes atomic.Int64
	stop  chan struct{}
	done  sync.WaitGroup
}

// newProgress starts telling about one target, on lines of a number of columns.
// It ends with ctx, or earlier with end.
func newProgress(ctx context.Context, w io.Writer, columns int, target string) *progress {
	p := &progress{w: w, stop: make(chan struct{})}
	p.done.Go(func() {
		wait := time.NewTimer(time.Second)
		defer wait.Stop()
		said := false
		for {
			select {
			case <-ctx.Done():
			case <-p.stop:
			case <-wait.C:
				said = true
				fmt.Fprint(w, "\r\x1b[K"+progressLine(target, p.bytes.Load(), columns))
				wait.Reset(200 * time.Millisecond)
				continue
			}
			if said {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		}
	})
	return p
}

// progressLine is cut to the columns of the terminal, as only one line can be
// cleared.
func progressLine(target string, bytes int64, columns int) string {
	name := []rune(target)
	done := fmt.Sprintf(": %d MB", bytes/1e6)
	if room := columns - 1 - len("reading ") - len(done); columns > 0 && len(name) > room {
		name = append(name[:max(0, room-3)], []rune("...")...)
	}
	return "reading " + string(name) + done
}

// read is told of stored bytes as layers are read.
func (p *progress) read(_ string, n int) {
	if p != nil {
		p.bytes.Add(int64(n))
	}
}

// end clears the line.
func (p *progress) end() {
	if p != nil {
		close(p.stop)
		p.done.Wait()
	}
}

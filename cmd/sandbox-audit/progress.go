package main

import (
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

// newProgress starts telling about one target.
func newProgress(w io.Writer, target string) *progress {
	p := &progress{w: w, stop: make(chan struct{})}
	p.done.Go(func() {
		wait := time.NewTimer(time.Second)
		defer wait.Stop()
		said := false
		for {
			select {
			case <-p.stop:
				if said {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-wait.C:
				said = true
				fmt.Fprintf(w, "\r\x1b[Kreading %s: %d MB", target, p.bytes.Load()/1e6)
				wait.Reset(200 * time.Millisecond)
			}
		}
	})
	return p
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

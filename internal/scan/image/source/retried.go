package source

import (
	"context"
	"errors"
	"io"
	"time"
)

// A retried blob is fetched again from its start where a connection breaks off, and
// goes on behind what was given out: its reader sees one stream, of whose bytes it
// knows the digest. Each try must come further than the one before.
type retried struct {
	ctx     context.Context
	rep     *repository
	blob    descriptor
	now     io.ReadCloser
	n       int64 // bytes given out
	tries   int   // that broke off
	reached int64 // bytes given out when the last one did
}

func (r *retried) Read(p []byte) (int, error) {
	for {
		n, err := r.now.Read(p)
		r.n += int64(n)
		var broke *breakOff
		if !errors.As(err, &broke) {
			return n, err
		}
		if n > 0 {
			return n, nil // the next Read finds it
		}
		if err := r.again(err); err != nil {
			return 0, err
		}
	}
}

// again starts the next try. It fails with cause if there is none, and with its own
// error if that breaks off too early.
func (r *retried) again(cause error) error {
	lim := r.rep.guard.lim
	r.tries++
	if r.ctx.Err() != nil || r.tries >= lim.Retries || r.tries > 1 && r.n <= r.reached {
		return cause
	}
	r.reached = r.n
	pause := min(time.Second<<(r.tries-1), lim.RetryWait)
	if !r.rep.guard.wait(pause) {
		return cause
	}
	if err := sleep(r.ctx, pause); err != nil {
		return err
	}
	next, err := r.rep.fetch(r.ctx, r.blob)
	if err != nil {
		return err
	}
	r.now.Close()
	r.now = next
	_, err = io.CopyN(io.Discard, next, r.n)
	return err
}

// Close ends the download.
func (r *retried) Close() error { return r.now.Close() }

package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// busyStatus are the answers after which asking again may help.
var busyStatus = []int{
	http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// persist asks until there is an answer that asking again would not better. It
// waits as long as the registry asks for (RFC 9110, 10.2.3), within limits.
func (g *guard) persist(req *http.Request, about subject) (*http.Response, error) {
	repeatable := req.Method == http.MethodGet || req.Method == http.MethodHead
	for try := 1; ; try++ {
		resp, err := g.ask(req, about)
		isBusy := err == nil && slices.Contains(busyStatus, resp.StatusCode)
		if !isBusy && !brokeOff(err) {
			return resp, err
		}
		asked := time.Duration(-1)
		if isBusy {
			asked = retryAfter(resp.Header, time.Now())
		}
		pause := asked
		if asked < 0 {
			pause = min(time.Second<<min(try-1, 10), g.lim.RetryWait)
		}
		if !repeatable || try >= g.lim.Retries || !g.wait(pause) {
			if isBusy {
				err = g.busy(req.URL.Host, resp, asked, try)
			}
			return nil, err
		}
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

// brokeOff reports whether a connection ended in the middle.
func brokeOff(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// retryAfter is the wait that an answer asks for, in seconds or until a date;
// negative if it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.ParseUint(v, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(n, math.MaxInt64/uint64(time.Second))) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now).Round(time.Second))
	}
	return -1
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// busy explains an answer that did not get better.
func (g *guard) busy(host string, resp *http.Response, asked time.Duration, tries int) error {
	text := fmt.Sprintf("%s answered %d", host, resp.StatusCode)
	switch {
	case asked >= 0:
		text += fmt.Sprintf(" (asked to wait %.0f s)", asked.Seconds())
	case tries > 1:
		text += fmt.Sprintf(" %d times", tries)
	}
	var says struct {
		Errors []struct{ Code, Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&says); err == nil && len(says.Errors) > 0 {
		text += ": " + quoteAnswer(says.Errors[0].Code, says.Errors[0].Message)
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		return hint(errors.New(text), "try again later, or log in if you have not: "+loginTo(g.registry.Host))
	}
	return hint(errors.New(text), "try again later")
}

// quoteAnswer shows what a registry says, which may be anything.
func quoteAnswer(code, message string) string { return fmt.Sprintf("%.80q, %.200q", code, message) }

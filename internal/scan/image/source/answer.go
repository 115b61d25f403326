package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Bounds of what a registry may answer beside manifests and blobs.
const (
	tokenBytes = 1 << 20
	errorBytes = 64 << 10 // what is said of an error is not read further
)

// ask sends one request and takes in its answer.
func (g *guard) ask(req *http.Request, about subject) (*http.Response, error) {
	if max := g.budget.Load(); g.asked.Add(1) > max {
		return nil, hint(fmt.Errorf("%s did not give out the image within %d requests", g.registry.Host, max), saveHint)
	}
	w := newWatch(req.Context())
	resp, err := g.next.RoundTrip(req.WithContext(w.ctx))
	if err != nil {
		w.cancel(nil)
		return nil, err
	}
	if about == aBlob && resp.StatusCode == http.StatusOK {
		resp.Body = w.download(resp.Body, g.lim.StallTimeout, req.URL.Host)
		return resp, nil
	}
	defer w.cancel(nil)
	defer resp.Body.Close()
	late := w.patience(g.lim.StallTimeout)
	defer late.Stop()
	b, err := g.document(resp, req.URL.Host, about)
	if err := w.reason(err); err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return resp, nil
}

// document reads an answer whole and checks that decoding it costs little and
// can tell nothing that is to stay unsaid.
func (g *guard) document(resp *http.Response, host string, about subject) ([]byte, error) {
	if about == aPing || resp.StatusCode != http.StatusOK {
		return io.ReadAll(io.LimitReader(resp.Body, errorBytes))
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, hint(fmt.Errorf("%s answered in the encoding %.20q, which was not asked for", host, e), saveHint)
	}
	if about == aManifest {
		return g.manifest(resp)
	}
	over := hint(fmt.Errorf("%s answered with a token of more than %d bytes", host, tokenBytes), saveHint)
	b, err := io.ReadAll(&bounded{r: resp.Body, max: tokenBytes, over: over})
	if err != nil {
		return nil, err
	}
	var token struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(b, &token) != nil || token.Token == "" && token.AccessToken == "" {
		return nil, hint(fmt.Errorf("%s was asked for a token for %s and answered without one", host, g.registry.Host), loginTo(g.registry.Host))
	}
	return b, nil
}

func (g *guard) manifest(resp *http.Response) ([]byte, error) {
	max := manifestSize(g.lim)
	if resp.ContentLength > max.bytes {
		return nil, max.error()
	}
	b, err := readAll(resp.Body, max)
	if err != nil {
		return nil, err
	}
	var whole json.RawMessage
	if _, err := image.DecodeJSON(b, g.lim, &whole); err != nil {
		return nil, hint(fmt.Errorf("the answer, of type %.80q, is no manifest: %w", resp.Header.Get("Content-Type"), err),
			"is this the address of a registry, and not of a web page or of a proxy's login?")
	}
	return b, nil
}

// A watch ends a request to which nothing comes.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func newWatch(ctx context.Context) *watch {
	ctx, cancel := context.WithCancelCause(ctx)
	return &watch{ctx, cancel}
}

// patience ends the request after d, unless the timer is stopped before.
func (w *watch) patience(d time.Duration) *time.Timer {
	return time.AfterFunc(d, func() { w.cancel(silence(d)) })
}

// reason is why a request failed with err. One that was ended failed, even if
// the other side took that for a good end.
func (w *watch) reason(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		return cause
	}
	return err
}

// A silence is how long nothing came.
type silence time.Duration

func (s silence) Error() string {
	return fmt.Sprintf("nothing came for %g s", time.Duration(s).Seconds())
}

// A download is a body that is read as it comes. A pause in it ends it; how
// long its reader takes does not matter.
type download struct {
	body  io.ReadCloser
	watch *watch
	pause time.Duration
	late  *time.Timer
	from  string
}

func (w *watch) download(body io.ReadCloser, pause time.Duration, from string) *download {
	d := &download{body: body, watch: w, pause: pause, late: w.patience(pause), from: from}
	d.late.Stop()
	return d
}

func (d *download) Read(p []byte) (int, error) {
	d.late.Reset(d.pause)
	n, err := d.body.Read(p)
	d.late.Stop()
	if err == nil {
		return n, nil
	}
	if err = d.watch.reason(err); !errors.Is(err, io.EOF) {
		err = &breakOff{d.from, err}
	}
	return n, err
}

// A breakOff is a download that ended before its end.
type breakOff struct {
	from string
	err  error
}

func (b *breakOff) Error() string { return fmt.Sprintf("downloading from %s: %v", b.from, b.err) }

func (b *breakOff) Unwrap() error { return b.err }

func (d *download) Close() error {
	d.late.Stop()
	defer d.watch.cancel(nil)
	return d.body.Close()
}

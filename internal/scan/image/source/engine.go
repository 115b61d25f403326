package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// engine opens an image that docker or podman holds. An absence is returned if
// the engine can't be reached or does not hold it.
func (op *opener) engine(ctx context.Context, from, target string) (*Opened, error) {
	if _, err := op.parseReference(target); err != nil {
		return nil, err
	}
	e, err := op.connect(from)
	if err != nil {
		return nil, &absence{err}
	}
	defer e.http.CloseIdleConnections()
	if err := e.ping(ctx, op.lim); err != nil {
		return nil, err
	}
	if err := e.inspect(ctx, op, target); err != nil {
		if errors.Is(err, errNotFound) && op.want == nil { // else only the platform may be wrong
			err = e.orNearest(ctx, op, err, from, target)
		}
		return nil, err
	}
	body, err := e.get(ctx, "/images/"+target+"/get", op.want, exportPatience*op.lim.StallTimeout, op.lim.StallTimeout)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	opened, err := op.pipe(ctx, target, "", body)
	if err != nil {
		return nil, fmt.Errorf("reading the image from %s at %s: %w", from, e.address, err)
	}
	for _, src := range opened.Sources {
		src.Kind = from
	}
	return opened, nil
}

const (
	// pingTimeout is within what an engine says that it is there.
	pingTimeout = 5 * time.Second
	// exportPatience is how many times longer than between two bytes an engine may
	// take to the first one: some write the image to disk before they send it.
	exportPatience = 10
)

// An engine is a client for the few calls of docker's API that are needed; podman
// answers them too.
type engine struct {
	address string // for messages
	base    url.URL
	http    *http.Client
}

// newEngine returns a client for an address such as unix:///run/docker.sock or
// tcp://host:2376.
func (op *opener) newEngine(address, certs string) (*engine, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of an engine", address)
	}
	t := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: headerBytes, TLSHandshakeTimeout: connectTimeout}
	dialer := net.Dialer{Timeout: connectTimeout}
	t.DialContext = dialer.DialContext
	e := &engine{address: address, base: url.URL{Scheme: "http", Host: "engine"}}
	switch u.Scheme {
	case "unix":
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err := checkSocket(u.Path); err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, "unix", u.Path)
		}
	case "tcp", "http", "https":
		e.base.Host = u.Host
		if certs != "" || u.Scheme == "https" {
			e.base.Scheme = "https"
			if t.TLSClientConfig, err = tlsConfig(certs); err != nil {
				return nil, err
			}
		}
	default:
		return nil, hint(fmt.Errorf("%s:// is not supported (%s)", u.Scheme, address), "save the image there and give the archive: docker save -o x.tar REF")
	}
	e.http = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return e, nil
}

// checkSocket says what is there instead of a socket. That nothing is there is
// told by connecting.
func checkSocket(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	switch mode := info.Mode(); {
	case mode&os.ModeSocket != 0:
		return nil
	case mode&os.ModeNamedPipe != 0:
		return errors.New("it is a FIFO, not a socket")
	case mode.IsDir():
		return errors.New("it is a directory, not a socket")
	case mode.IsRegular():
		return errors.New("it is a regular file, not a socket")
	}
	return errors.New("it is a device, not a socket")
}

// ping returns nil if an engine answers, and an absence if there is none.
func (e *engine) ping(ctx context.Context, lim limits.Limits) error {
	wait := min(pingTimeout, lim.HeaderTimeout)
	body, err := e.get(ctx, "/_ping", nil, wait, wait)
	var none *absence
	if errors.As(err, &none) && errors.Is(err, errNotFound) {
		return &absence{fmt.Errorf("%s is no engine: it does not know how to answer a ping", e.address)}
	}
	if err != nil {
		return err
	}
	return body.Close()
}

// inspect returns nil if the engine has the image, for the platform that is
// wanted.
func (e *engine) inspect(ctx context.Context, op *opener, ref string) error {
	body, err := e.get(ctx, "/images/"+ref+"/json", op.want, op.lim.HeaderTimeout, op.lim.StallTimeout)
	if err != nil {
		return err
	}
	defer body.Close()
	b, err := readAll(body, manifestSize(op.lim))
	if err != nil {
		return fmt.Errorf("reading what %s says about the image: %w", e.address, err)
	}
	var about struct{ OS, Architecture, Variant string }
	if _, err := image.DecodeJSON(b, op.lim, &about); err != nil {
		return fmt.Errorf("reading what %s says about the image: %w", e.address, err)
	}
	has := platform{OS: about.OS, Architecture: about.Architecture, Variant: about.Variant}
	if op.want != nil && !has.suits(*op.want) {
		return &absence{fmt.Errorf("%s has it for %s, not for %s", e.address, has, op.want)}
	}
	return nil
}

var errNotFound = errors.New("no such image")

// get starts a call and returns its answer, waiting so long for its first byte
// and so long for each further one. An engine that holds an image for several
// platforms gives out the wanted one; others ignore the parameter.
func (e *engine) get(ctx context.Context, path string, want *platform, first, next time.Duration) (io.ReadCloser, error) {
	u := e.base
	u.Path = path
	if want != nil {
		p, err := json.Marshal(map[string]string{"os": want.OS, "architecture": want.Architecture, "variant": want.Variant})
		if err != nil {
			return nil, err
		}
		u.RawQuery = url.Values{"platform": {string(p)}}.Encode()
	}
	w := newWatch(ctx)
	req, err := http.NewRequestWithContext(w.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		w.cancel(nil)
		return nil, err
	}
	late := w.patience(first)
	resp, err := e.http.Do(req) //nolint:bodyclose // the download below closes it
	late.Stop()
	if err != nil {
		err = e.unreachable(w.reason(err))
		w.cancel(nil)
		return nil, err
	}
	body := w.download(resp.Body, next, e.address)
	if resp.StatusCode == http.StatusOK {
		return body, nil
	}
	defer func() { _ = body.Close() }() // nothing more is wanted of it
	if resp.StatusCode == http.StatusNotFound {
		return nil, &absence{fmt.Errorf("%s has %w", e.address, errNotFound)}
	}
	return nil, fmt.Errorf("%d from %s: %s", resp.StatusCode, e.address, message(resp.StatusCode, body))
}

// unreachable drops the made-up URL from a failed call. An engine that is there
// and does not answer is not absent.
func (e *engine) unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var silent silence
	hangs := errors.As(err, &silent)
	err = fmt.Errorf("%s does not answer: %w", e.address, err)
	switch {
	case hangs:
		return hint(err, "restart the engine, or say with --from where else the image is")
	case strings.Contains(err.Error(), "permission denied"):
		err = hint(err, "run as a user that may use the engine, or give an archive")
	}
	return &absence{err}
}

// message is what an engine says about an error.
func message(status int, body io.Reader) string {
	b, err := io.ReadAll(io.LimitReader(body, 4<<10))
	var says struct{ Message string }
	if err == nil && json.Unmarshal(b, &says) == nil && says.Message != "" {
		return fmt.Sprintf("%.200q", says.Message)
	}
	return http.StatusText(status)
}

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
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
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
	if err := e.inspect(ctx, op, target); err != nil {
		return nil, err
	}
	body, err := e.get(ctx, "/images/"+target+"/get", op.want)
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
	t := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: headerBytes}
	e := &engine{address: address, base: url.URL{Scheme: "http", Host: "engine"}}
	switch u.Scheme {
	case "unix":
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
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

// inspect returns nil if the engine has the image, for the platform that is
// wanted.
func (e *engine) inspect(ctx context.Context, op *opener, ref string) error {
	ctx, cancel := context.WithTimeout(ctx, op.lim.HeaderTimeout)
	defer cancel()
	body, err := e.get(ctx, "/images/"+ref+"/json", op.want)
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

// get starts a call and returns its answer. An engine that holds an image for
// several platforms gives out the wanted one; others ignore the parameter.
func (e *engine) get(ctx context.Context, path string, want *platform) (io.ReadCloser, error) {
	u := e.base
	u.Path = path
	if want != nil {
		p, err := json.Marshal(map[string]string{"os": want.OS, "architecture": want.Architecture, "variant": want.Variant})
		if err != nil {
			return nil, err
		}
		u.RawQuery = url.Values{"platform": {string(p)}}.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return nil, &absence{e.unreachable(err)}
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return nil, &absence{fmt.Errorf("%s has no such image", e.address)}
	}
	return nil, fmt.Errorf("%d from %s: %s", resp.StatusCode, e.address, message(resp))
}

// unreachable drops the made-up URL from a failed call.
func (e *engine) unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	err = fmt.Errorf("%s does not answer: %w", e.address, err)
	if strings.Contains(err.Error(), "permission denied") {
		return hint(err, "run as a user that may use the engine, or give an archive")
	}
	return err
}

// message is what an engine says about an error.
func message(resp *http.Response) string {
	b, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	var says struct{ Message string }
	if err == nil && json.Unmarshal(b, &says) == nil && says.Message != "" {
		return fmt.Sprintf("%.200q", says.Message)
	}
	return http.StatusText(resp.StatusCode)
}

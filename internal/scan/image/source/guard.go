package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// newTransport returns what requests to registries go over. A compressed answer
// is not asked for and not unpacked: its size would say nothing.
func newTransport(lim limits.Limits) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.ResponseHeaderTimeout = lim.HeaderTimeout
	t.MaxResponseHeaderBytes = headerBytes
	return t
}

// Bounds of what a registry may answer beside manifests and blobs.
const (
	headerBytes = 256 << 10
	answerBytes = 1 << 20 // pings, tokens, errors
)

// A guard stands between the registry client and the network. It sees every
// request, also those after a redirect, and bounds what comes back.
type guard struct {
	next     http.RoundTripper
	lim      limits.Limits
	insecure bool // http is allowed everywhere
	loopback bool // the registry is on this machine: http is allowed there
}

// RoundTrip sends a request if it may be sent.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	first, hops := req, 0
	for first.Response != nil {
		first = first.Response.Request
		hops++
	}
	if hops > g.lim.Redirects {
		return nil, overLimit("redirects", int64(g.lim.Redirects), "--max-redirects")
	}
	if err := g.mayGo(req); err != nil {
		return nil, err
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch path.Base(path.Dir(first.URL.Path)) {
	case "blobs": // whoever reads it knows its size
		return resp, nil
	case "manifests":
		if resp.StatusCode == http.StatusOK {
			return g.manifest(resp)
		}
	}
	resp.Body = &capped{resp.Body, &bounded{r: resp.Body, max: answerBytes,
		over: fmt.Errorf("%s answered with more than %d bytes", req.URL.Host, answerBytes)}}
	return resp, nil
}

// mayGo refuses to go on without encryption.
func (g *guard) mayGo(req *http.Request) error {
	if req.URL.Scheme == "https" || g.insecure {
		return nil
	}
	downgraded := req.Response != nil && req.Response.Request.URL.Scheme == "https"
	if g.loopback && isLoopback(req.URL.Hostname()) && !downgraded {
		return nil
	}
	return hint(fmt.Errorf("%s would be reached over http, without encryption", req.URL.Host), "allow it with --insecure")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// manifest reads an answer whole and checks that decoding it costs little.
func (g *guard) manifest(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
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
		return nil, fmt.Errorf("the answer, of type %.80q, is no manifest: %w", resp.Header.Get("Content-Type"), err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// A capped body ends with an error where it gets too long.
type capped struct {
	io.Closer
	io.Reader
}

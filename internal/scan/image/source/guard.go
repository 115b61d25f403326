package source

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// The budget of requests to a registry, redirects and repetitions included.
const (
	requestsPerImage = 200
	requestsPerLayer = 8
)

// A guard stands between the registry client and the network. It sees every
// request, also those after a redirect, and bounds what comes back: every
// answer but a blob arrives whole or not at all.
type guard struct {
	next     http.RoundTripper
	lim      limits.Limits
	registry url.URL // its Host alone is set
	path     string  // of the repository, "/v2/NAME/"
	insecure bool    // the user allows http to the registry

	asked  atomic.Int64 // requests sent
	budget atomic.Int64 // that may be sent
	waited atomic.Int64 // nanoseconds, as the registry asked
}

func newGuard(next http.RoundTripper, repository name.Repository, insecure bool, lim limits.Limits) *guard {
	g := &guard{next: next, lim: lim, insecure: insecure}
	g.registry.Host = repository.RegistryStr()
	g.path = "/v2/" + repository.RepositoryStr() + "/"
	g.budget.Store(requestsPerImage)
	return g
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
	req, err := g.entrust(req, first)
	if err != nil {
		return nil, err
	}
	return g.persist(req, g.subject(first.URL))
}

// A subject is what a request is about.
type subject uint8

const (
	aToken subject = iota // from wherever the registry says
	aPing                 // which tells how to get tokens
	aManifest
	aBlob
)

func (g *guard) subject(u *url.URL) subject {
	switch {
	case u.Host != g.registry.Host:
		return aToken
	case u.Path == "/v2/":
		return aPing
	case strings.HasPrefix(u.Path, g.path+"manifests/"):
		return aManifest
	case strings.HasPrefix(u.Path, g.path+"blobs/"):
		return aBlob
	}
	return aToken
}

// wait reserves a part of the time that may be spent waiting for the registry.
func (g *guard) wait(d time.Duration) bool {
	return d <= g.lim.RetryWait && g.waited.Add(int64(d)) <= int64(g.lim.RetryWait)*int64(g.lim.Retries)
}

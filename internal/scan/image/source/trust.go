package source

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// sameHost compares host names without their ports (RFC 4343: case does not
// count).
func sameHost(a, b string) bool { return canonicalHost(a) == canonicalHost(b) }

func canonicalHost(h string) string { return strings.ToLower(strings.TrimSuffix(h, ".")) }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return canonicalHost(host) == "localhost" || ip != nil && ip.IsLoopback()
}

// sameDomain reports whether host belongs to the domain of a registry: it is that
// host, its parent domain, or below one of the two. A domain has two labels at
// least, three below a country's "co.uk". Addresses have no domain.
func sameDomain(host, registry string) bool {
	host, registry = canonicalHost(host), canonicalHost(registry)
	if host == registry {
		return true
	}
	if net.ParseIP(host) != nil || net.ParseIP(registry) != nil || !isDomain(registry) {
		return false
	}
	domain := registry
	if _, parent, ok := strings.Cut(registry, "."); ok && isDomain(parent) {
		domain = parent
	}
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// sharedLabels are those below which countries give out domains.
var sharedLabels = []string{"ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"}

func isDomain(name string) bool {
	labels := strings.Split(name, ".")
	n := len(labels)
	if n < 2 || slices.Contains(labels, "") {
		return false
	}
	return n > 2 || len(labels[1]) != 2 || !slices.Contains(sharedLabels, labels[0])
}

// tokenServices give out tokens for registries of another domain.
var tokenServices = []struct{ registry, service string }{
	{"lscr.io", "ghcr.io"},
	{"nvcr.io", "authn.nvidia.com"},
	{"scw.cloud", "api.scaleway.com"},
}

// mayHaveCredentials reports whether host may get the user's credentials for a
// registry.
func mayHaveCredentials(host, registry string) bool {
	if sameDomain(host, registry) || isLoopback(host) && isLoopback(registry) {
		return true
	}
	for _, s := range tokenServices {
		r := canonicalHost(registry)
		if canonicalHost(host) == s.service && (r == s.registry || strings.HasSuffix(r, "."+s.registry)) {
			return true
		}
	}
	return false
}

// entrust returns req as it may be sent: with credentials only to the registry
// and its token service, and after a redirect only to where they went before.
// Tokens are asked for with credentials in the header or, by POST, in the body.
func (g *guard) entrust(req, first *http.Request) (*http.Request, error) {
	inBody := req.Method == http.MethodPost
	if !inBody && req.Header.Get("Authorization") == "" || req != first && sameOrigin(req.URL, first.URL) {
		return req, nil
	}
	if req == first && mayHaveCredentials(req.URL.Hostname(), g.registry.Hostname()) {
		return req, nil
	}
	if req == first || inBody {
		return nil, hint(fmt.Errorf("%s wants the credentials for it to be sent to %.80q, a host of another domain", g.registry.Host, req.URL.Host), saveHint)
	}
	bare := req.Clone(req.Context())
	bare.Header.Del("Authorization")
	return bare, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && canonicalHost(a.Host) == canonicalHost(b.Host)
}

// mayGo refuses to go on without encryption, but to a host for which the user
// allowed it, and on this machine.
func (g *guard) mayGo(req *http.Request) error {
	host := req.URL.Hostname()
	named := sameHost(host, g.registry.Hostname())
	if req.URL.Scheme == "https" || g.insecure && named {
		return nil
	}
	downgraded := req.Response != nil && req.Response.Request.URL.Scheme == "https"
	if isLoopback(g.registry.Hostname()) && isLoopback(host) && !downgraded {
		return nil
	}
	what := fmt.Errorf("%.80q would be reached over %.10s, without encryption", req.URL.Host, req.URL.Scheme)
	if named && !g.insecure {
		return hint(what, "allow it with --insecure")
	}
	return hint(what, saveHint)
}

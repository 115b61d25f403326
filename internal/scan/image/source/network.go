package source

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// connectTimeout bounds a connection, and likewise its TLS handshake.
const connectTimeout = 10 * time.Second

// headerBytes bounds the header of any answer.
const headerBytes = 256 << 10

// A network is how registries are reached. Its zero value is the real one.
type network struct {
	dial  dialFunc                              // nil: TCP
	proxy func(*http.Request) (*url.URL, error) // nil: as HTTPS_PROXY and its like say
	roots *x509.CertPool                        // nil: those of the system
}

// A dialFunc connects to addr. It calls check with each address that the name in
// addr stands for before it connects there, and goes by the answer.
type dialFunc func(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error)

// A route leads to one registry, and to where that leads. Addresses are judged
// once names are resolved: what a name says of itself counts for nothing.
type route struct {
	network
	registry string      // the host that the user named; may be anywhere
	private  atomic.Bool // it is on a private network

	mu      sync.Mutex
	proxies []string // host:port of those in use
}

func newRoute(n network, registry string, lim limits.Limits) *route {
	if n.dial == nil {
		n.dial = dialTCP(min(connectTimeout, lim.HeaderTimeout))
	}
	if n.proxy == nil {
		n.proxy = http.ProxyFromEnvironment
	}
	return &route{network: n, registry: registry}
}

// transport returns what the requests go over. A compressed answer is not asked
// for and not unpacked: its size would say nothing.
func (r *route) transport(lim limits.Limits) *http.Transport {
	return &http.Transport{
		Proxy:                  r.throughProxy,
		DialContext:            r.connect,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: r.roots},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		TLSHandshakeTimeout:    min(connectTimeout, lim.HeaderTimeout),
		ResponseHeaderTimeout:  lim.HeaderTimeout,
		MaxResponseHeaderBytes: headerBytes,
		IdleConnTimeout:        lim.StallTimeout,
	}
}

// throughProxy remembers the proxy that a request goes through.
func (r *route) throughProxy(req *http.Request) (*url.URL, error) {
	u, err := r.proxy(req)
	if err != nil || u == nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := net.JoinHostPort(u.Hostname(), port); !slices.Contains(r.proxies, p) {
		r.proxies = append(r.proxies, p)
	}
	return u, nil
}

func (r *route) isProxy(addr string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.proxies, addr)
}

// remarks tells what the auditor could not check by itself.
func (r *route) remarks() []image.Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ps []image.Problem
	for _, p := range r.proxies {
		ps = append(ps, image.Problem{Kind: image.Remark, Layer: -1,
			What: fmt.Sprintf("%s was reached through the proxy %s: only that proxy knows the addresses it led to", r.registry, p)})
	}
	return ps
}

func (r *route) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	if r.isProxy(addr) {
		return r.dial(ctx, network, addr, func(netip.Addr) error { return nil })
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return r.dial(ctx, network, addr, func(ip netip.Addr) error { return r.judge(host, ip) })
}

// judge refuses addresses that are of no use outside the user's own networks,
// but for the host that the user named. From a loopback registry on, loopback is
// fine; from one on a private network, private addresses of its own domain are.
func (r *route) judge(host string, ip netip.Addr) error {
	kind := addressKind(ip)
	switch {
	case sameHost(host, r.registry):
		if kind == private {
			r.private.Store(true)
		}
		return nil
	case kind == "":
		return nil
	case kind == loopback && isLoopback(r.registry):
		return nil
	case kind == private && r.private.Load() && sameDomain(host, r.registry):
		return nil
	}
	return hint(fmt.Errorf("%s leads to %.80q, which is at the %s address %s and was not asked for anything", r.registry, host, kind, ip), saveHint)
}

// saveHint is how to audit an image that is not downloaded.
const saveHint = "if you trust the registry, pull the image with docker or podman and audit it there"

const (
	loopback = "loopback"
	private  = "private"
)

// addressKinds are the ranges that are not part of the public network (IANA
// special-purpose address registries, RFC 6890; RFC 6598 for 100.64.0.0/10).
var addressKinds = []struct {
	prefix netip.Prefix
	kind   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "unspecified"},
	{netip.MustParsePrefix("10.0.0.0/8"), private},
	{netip.MustParsePrefix("100.64.0.0/10"), private},
	{netip.MustParsePrefix("127.0.0.0/8"), loopback},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), private},
	{netip.MustParsePrefix("192.168.0.0/16"), private},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), loopback},
	{netip.MustParsePrefix("fc00::/7"), private},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

// translated is where IPv6 networks put IPv4 addresses (RFC 6052).
var translated = netip.MustParsePrefix("64:ff9b::/96")

// addressKind returns the kind of a special address; empty if it is public.
func addressKind(ip netip.Addr) string {
	ip = ip.WithZone("").Unmap()
	if b := ip.As16(); translated.Contains(ip) {
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, k := range addressKinds {
		if k.prefix.Contains(ip) {
			return k.kind
		}
	}
	return ""
}

func dialTCP(timeout time.Duration) dialFunc {
	return func(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error) {
		d := net.Dialer{Timeout: timeout, Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			return check(at.Addr())
		}}
		return d.DialContext(ctx, network, addr)
	}
}

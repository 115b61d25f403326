package source

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// Over lets o reach registries over a network of the test's making.
func Over(o Options, dial func(context.Context, string, string, func(netip.Addr) error) (net.Conn, error),
	proxy func(*http.Request) (*url.URL, error), roots *x509.CertPool) Options {
	o.network = network{dial: dial, proxy: proxy, roots: roots}
	return o
}

// What hosts are to each other, and what addresses are.
var (
	SameDomain         = sameDomain
	MayHaveCredentials = mayHaveCredentials
	AddressKind        = addressKind
)

// Settled is how long a file must have been left alone to be known again.
const Settled = settled

// Package network says what an image does about its network: what its settings and
// commands switch off or send elsewhere, which servers it has and what they listen
// on, and what its firewall scripts leave open. It reads, and connects to nothing.
//
// What it keeps of a setting is its name and what it does; of a URL it is the host.
// No value that could hold a credential leaves it.
package network

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// Loopback reports whether a host, with or without a port or a scheme, never leaves
// the machine: a loopback address (RFC 6890) or a name for it (RFC 6761).
func Loopback(address string) bool {
	h := strings.ToLower(hostOf(address))
	ip := net.ParseIP(h)
	return h == "localhost" || h == "lo" || strings.HasSuffix(h, ".localhost") || h == "localhost.localdomain" || ip != nil && ip.IsLoopback()
}

// Everywhere reports whether an address, with or without a port or a scheme, is that
// of all interfaces.
func Everywhere(address string) bool {
	h := hostOf(address)
	ip := net.ParseIP(h)
	return h == "*" || ip != nil && ip.IsUnspecified()
}

// hostOf is the host of an address or URL, without brackets.
func hostOf(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "/")
	address = address[strings.LastIndexByte(address, '@')+1:]
	if h, _, err := net.SplitHostPort(address); err == nil {
		address = h
	}
	return strings.Trim(address, "[]")
}

// Host is the host and port of a URL, without a login; empty if it has none or holds
// a variable.
func Host(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || strings.ContainsAny(address, "$<>{}%") {
		return ""
	}
	return u.Host
}

// sample are the hosts that stand for others (RFC 2606, RFC 6761).
var sample = regexp.MustCompile(`(?i)^((.+\.)?example\.(com|org|net)|(.+\.)?(example|test|invalid)|.*(your|my)[-_]?(host|domain|server|api|url).*|host|hostname|x+)$`)

// Origins tell whose a file is.
type Origins struct {
	Owners    *packages.Owners
	Inventory *python.Inventory
}

// borrowed are the directories where packages and tools unpack what others published.
// Those of Python are told apart by what is installed there.
var borrowed = regexp.MustCompile(`/(node_modules|ms-playwright|puppeteer|\.cargo/registry|pkg/mod|\.cache|vendor)/|^/usr/(share|lib|libexec|include)/|^/(proc|sys|dev)/`)

// installed is where Python's installers put packages, with all their files.
var installed = regexp.MustCompile(`/(site|dist)-packages/`)

// samples are where projects show and test what they do not do.
var samples = regexp.MustCompile(`(?i)/(tests?|testdata|__tests__|specs?|fixtures?|examples?|samples?|docs?|demos?|man)/|[/._-](test|spec|example|sample|template|dist)s?([._-]|$)|/test_[^/]*$|\.(md|rst|adoc|po|html?)$`)

// Own reports whether f is a live file that neither a package brought nor a tool
// unpacked, and that is no sample: what it says, the image does.
func (o Origins) Own(f *image.File) bool {
	if f.Buried() || f.HardLink || borrowed.MatchString(f.Path) || samples.MatchString(f.Path) {
		return false
	}
	if _, owned := o.Owners.OfFile(f); owned || o.Owners.MayOwn(f.Path) {
		return false
	}
	class, _ := o.Inventory.Whose(f)
	return class == python.FirstParty || class == python.NotPython && !installed.MatchString(f.Path)
}

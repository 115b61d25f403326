package network

import (
	"net"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Redirect is a line that sends names or lookups elsewhere.
type Redirect struct {
	Line int
	Name string // empty for a resolver
	To   string // address
}

// Hosts are the names of the public internet that /etc/hosts gives an address of
// their own (hosts(5)). Names that only a private network has, and names that are
// sent to this machine or nowhere, are left out.
var Hosts = &image.Probe[[]Redirect]{
	Name: "hosts", Version: 1,
	Want: func(e image.Entry) bool { return e.Path == "/etc/hosts" },
	Read: func(_ image.Entry, b []byte) ([]Redirect, bool) {
		var out []Redirect
		eachLine(string(b), func(words []string, line int) {
			ip := net.ParseIP(words[0])
			if ip == nil || ip.IsLoopback() || ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast() {
				return
			}
			for _, name := range words[1:] {
				if public(name) && len(out) < maxSettings {
					out = append(out, Redirect{line, name, ip.String()})
				}
			}
		})
		return out, len(out) > 0
	},
}

// Resolvers are the name servers of the public internet in /etc/resolv.conf
// (resolv.conf(5)).
var Resolvers = &image.Probe[[]Redirect]{
	Name: "resolvers", Version: 1,
	Want: func(e image.Entry) bool { return e.Path == "/etc/resolv.conf" },
	Read: func(_ image.Entry, b []byte) ([]Redirect, bool) {
		var out []Redirect
		eachLine(string(b), func(words []string, line int) {
			if words[0] != "nameserver" || len(words) < 2 || len(out) >= maxSettings {
				return
			}
			if ip := net.ParseIP(words[1]); ip != nil && ip.IsGlobalUnicast() && !ip.IsPrivate() {
				out = append(out, Redirect{Line: line, To: ip.String()})
			}
		})
		return out, len(out) > 0
	},
}

func eachLine(text string, f func(words []string, line int)) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			f(words, n)
		}
	}
}

// private are the ends of names that no public server knows (RFC 6762, RFC 8375, and
// what container engines and clouds use).
var private = regexp.MustCompile(`(?i)\.(local|localdomain|localhost|internal|lan|home|home\.arpa|corp|intranet|private|docker|svc|cluster|test|example|invalid|in-addr\.arpa)$`)

func public(name string) bool {
	return strings.Contains(strings.Trim(name, "."), ".") && !private.MatchString(name) && net.ParseIP(name) == nil
}

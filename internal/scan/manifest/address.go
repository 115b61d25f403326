package manifest

import (
	"fmt"
	"net/netip"
	"slices"
)

// metadataAddresses are where clouds tell a machine about itself, its credentials
// among it.
var metadataAddresses = []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254")}

// privateRanges are what has to be blocked for a rule to be for public addresses only:
// those of RFC 1918, link-local ones (RFC 3927) and unique local ones (RFC 4193).
var privateRanges = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fc00::/7"),
}

// wide is how many bits a range of IPv4 or IPv6 has to fix at least not to be most of
// the internet.
func wide(p netip.Prefix) bool {
	if p.Addr().Is4() {
		return p.Bits() < 8
	}
	return p.Bits() < 16
}

// block adds a range of addresses, without others.
func (r *reach) block(cidr *value, except []*value, only string) {
	at := cidr.where()
	p, err := netip.ParsePrefix(cidr.str())
	if err != nil || cidr.unknown != "" {
		r.unknown = keep(r.unknown, Reason{At: at, Text: "the range of addresses is not known"})
		return
	}
	p = p.Masked()
	var holes []netip.Prefix
	for _, e := range except {
		if h, err := netip.ParsePrefix(e.str()); err == nil {
			holes = append(holes, h.Masked())
		}
	}
	leads := func(a netip.Addr) bool {
		return p.Contains(a) && !slices.ContainsFunc(holes, func(h netip.Prefix) bool { return h.Contains(a) })
	}
	if (only == "" || only == "80") && slices.ContainsFunc(metadataAddresses, leads) {
		r.metadata = keep(r.metadata, Reason{At: at, Text: fmt.Sprintf("%s lets the metadata address through", p)})
	}
	private := slices.ContainsFunc(privateRanges, func(q netip.Prefix) bool {
		return p.Overlaps(q) && !slices.ContainsFunc(holes, func(h netip.Prefix) bool { return h.Bits() <= q.Bits() && h.Contains(q.Addr()) })
	})
	switch {
	case wide(p) && only == "53":
		r.holes = keep(r.holes, Reason{At: at, Text: "DNS to any server: what is looked up can carry data out", Slight: true})
	case wide(p) && private:
		r.anywhere = keep(r.anywhere, Reason{At: at, Text: fmt.Sprintf("%s is everywhere, private ranges too%s", p, onPort(only))})
	case wide(p):
		r.public = keep(r.public, Reason{At: at, Text: fmt.Sprintf("%s without private ranges is every public address%s", p, onPort(only))})
	default:
		r.listed = keep(r.listed, Reason{At: at, Text: fmt.Sprintf("%s%s", p, onPort(only))})
		if p.Addr().IsPrivate() && p.Bits() <= 16 {
			r.holes = keep(r.holes, Reason{At: at, Text: fmt.Sprintf("%s is a private network as a whole", p), Slight: true})
		}
	}
}

package manifest

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// metadataAddresses are where clouds tell a machine about itself, its credentials
// among it.
var metadataAddresses = []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254")}

// privateRanges are what has to be blocked for a rule to be for public addresses only:
// those of RFC 1918, the metadata address and unique local ones (RFC 4193).
var privateRanges = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("169.254.169.254/32"), netip.MustParsePrefix("fc00::/7"),
}

// linkLocal are the addresses round the metadata address (RFC 3927). Some clouds give the
// credentials of containers there.
var linkLocal = netip.MustParsePrefix("169.254.0.0/16")

// everywhere is all of IPv4 and IPv6.
var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// wide reports whether a range is much of the internet.
func wide(p netip.Prefix) bool {
	if p.Addr().Is4() {
		return p.Bits() < 8
	}
	return p.Bits() < 16
}

// prefix reads a range of addresses. IPv4 in the clothes of IPv6 is IPv4.
func prefix(text string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), true
}

// covered reports whether every address of p is in one of the ranges. It halves p until
// a range holds the half, or none touches it.
func covered(p netip.Prefix, by []netip.Prefix) bool {
	var touching []netip.Prefix
	for _, q := range by {
		if q.Bits() <= p.Bits() && q.Contains(p.Addr()) {
			return true
		}
		if q.Overlaps(p) {
			touching = append(touching, q)
		}
	}
	if len(touching) == 0 {
		return false
	}
	half := netip.PrefixFrom(p.Addr(), p.Bits()+1)
	return covered(half, touching) && covered(netip.PrefixFrom(upper(p), half.Bits()), touching)
}

// upper is the first address of the upper half of a range.
func upper(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	b[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	a, _ := netip.AddrFromSlice(b) // of the length that it had
	return a
}

// A route leads to much of the internet.
type route struct {
	at       Place
	anywhere string // what to say if private ranges can be reached too
	public   string // and if they can't
	private  []netip.Prefix
}

// routeOf is a way to everything, on some ports.
func routeOf(at Place, text, public string) route {
	return route{at: at, anywhere: text, public: public, private: privateRanges}
}

// A door leads to a metadata service.
type door struct {
	Reason
	to []netip.Addr
}

// block adds a range of addresses, without others.
func (r *reach) block(cidr *value, except []*value, on ports) {
	at := cidr.where()
	p, ok := prefix(cidr.str())
	if !ok || cidr.unknown != "" {
		r.unknown = keep(r.unknown, Reason{At: at, Text: "the range of addresses is not known"})
		return
	}
	var holes []netip.Prefix
	for _, e := range except {
		if h, ok := prefix(e.str()); ok && e.unknown == "" {
			holes = append(holes, h)
		}
	}
	r.metadata(at, fmt.Sprintf("%s lets the metadata address through", p), on, func(a netip.Addr) bool {
		return p.Contains(a) && !slices.ContainsFunc(holes, func(h netip.Prefix) bool { return h.Contains(a) })
	})
	switch {
	case wide(p) && on.dns():
		r.anyDNS(at)
	case wide(p):
		way := wayTo(at, p, holes, on)
		r.wide = keep(r.wide, way)
		if len(way.private) == 0 && p.Overlaps(linkLocal) && !covered(linkLocal, holes) {
			r.holes = keep(r.holes, Reason{At: at, Text: "addresses of 169.254.0.0/16 beside the metadata address, where some clouds give the credentials of containers", Slight: true})
		}
	default:
		r.list(at, p, on)
	}
}

// wayTo is a way to a range that is much of the internet, without others.
func wayTo(at Place, p netip.Prefix, holes []netip.Prefix, on ports) route {
	w := route{at: at, public: fmt.Sprintf("%s without private ranges is every public address%s", p, on.on())}
	var left []string
	for _, q := range privateRanges {
		if p.Overlaps(q) && !covered(q, holes) {
			w.private = append(w.private, q)
			left = append(left, q.String())
		}
	}
	too := "private ranges"
	if len(holes) > 0 {
		too = strings.Join(left, ", ")
	}
	w.anywhere = fmt.Sprintf("%s is everywhere, %s too%s", p, too, on.on())
	return w
}

// list adds a range that is not much of the internet.
func (r *reach) list(at Place, p netip.Prefix, on ports) {
	r.listed = keep(r.listed, Reason{At: at, Text: fmt.Sprintf("%s%s", p, on.on())})
	switch {
	case p.Addr().IsPrivate() && (p.Bits() <= 16 || p.Addr().Is6() && p.Bits() <= 48):
		r.holes = keep(r.holes, Reason{At: at, Text: fmt.Sprintf("%s is a private network as a whole", p), Slight: true})
	case p.Addr().Is4() && !p.Addr().IsPrivate():
		r.addresses += 1 << (32 - p.Bits())
	}
}

// metadata adds a way to a metadata service, which listens on port 80.
func (r *reach) metadata(at Place, text string, on ports, leads func(netip.Addr) bool) {
	if !on.has(80) {
		return
	}
	d := door{Reason: Reason{At: at, Text: text}}
	for _, a := range metadataAddresses {
		if leads(a) {
			d.to = append(d.to, a)
		}
	}
	if len(d.to) > 0 {
		r.doors = keep(r.doors, d)
	}
}

// everything adds a way to all addresses, on some ports.
func (r *reach) everything(at Place, text string, on ports) {
	r.wide = keep(r.wide, routeOf(at, text+on.on(), text+on.on()+", but for what is denied: every public address"))
	r.metadata(at, text+on.on()+", also to the metadata address", on, func(netip.Addr) bool { return true })
}

// anyDNS adds a way to every name server.
func (r *reach) anyDNS(at Place) {
	r.holes = keep(r.holes, Reason{At: at, Text: "DNS to any server: what is looked up can carry data out", Slight: true})
}

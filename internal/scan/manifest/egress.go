package manifest

import (
	"fmt"
	"net/netip"
	"slices"
)

// Egress is where a workload can send what it knows.
type Egress struct {
	Level    EgressLevel
	Evidence []Reason // what decides the level; never empty
	Holes    []Reason // ways past the level
	// Metadata is whether the address of cloud metadata services, 169.254.169.254, can
	// be reached.
	Metadata Answer
	Blocked  Reason // what decides Metadata
}

// EgressLevel is how far a workload can send.
type EgressLevel uint8

// The levels, widest first. The zero level is not known.
const (
	EgressUnknown EgressLevel = iota
	Open                      // anywhere
	PublicOnly                // anywhere but metadata services and private ranges
	AllowList                 // only to what is listed
	ControlPlane              // only to the control plane, or nowhere
)

func (l EgressLevel) String() string {
	return [...]string{"unknown", "open", "metadata and private ranges blocked", "allow-list", "control plane only"}[l]
}

// A Reason is one sentence and where it stands.
type Reason struct {
	At   Place
	Text string
	// Slight is a hole through which little passes, or which is common: DNS to any
	// server, every pod of the namespace.
	Slight bool
}

// Answer is yes or no, where that is known.
type Answer uint8

// The answers.
const (
	Undecided Answer = iota
	No
	Yes
)

// A reach collects where rules let a workload send; it is the union of all rules.
type reach struct {
	wide      []route  // to much of the internet
	listed    []Reason // to addresses and names that are listed
	addresses uint64   // public ones of IPv4 that are listed
	inside    []Reason // to chosen pods and services of the cluster
	holes     []Reason
	unknown   []Reason
	doors     []door         // to metadata services
	denied    []netip.Prefix // whatever else lets them through
}

// maxReasons is how many reasons of one kind are kept: that there is one decides.
const maxReasons = 20

func keep[T any](to []T, more ...T) []T {
	return append(to, more[:min(len(more), maxReasons-len(to))]...)
}

// add makes r the union of r and o.
func (r *reach) add(o *reach) {
	r.wide, r.doors = keep(r.wide, o.wide...), keep(r.doors, o.doors...)
	r.listed, r.inside = keep(r.listed, o.listed...), keep(r.inside, o.inside...)
	r.holes, r.unknown = keep(r.holes, o.holes...), keep(r.unknown, o.unknown...)
	r.denied = append(r.denied, o.denied...)
	r.addresses += o.addresses
}

// most is how many public addresses a list may have that is one: more are a good part
// of the internet, however they are written.
const most = 1 << 28

// egress is what the rules come to; none of them lets nothing through.
func (r *reach) egress(by Reason) Egress {
	e := Egress{Holes: r.holes, Metadata: No, Blocked: by}
	anywhere, public, listed := r.ways()
	if i := slices.IndexFunc(r.doors, r.open); i >= 0 {
		e.Metadata, e.Blocked = Yes, r.doors[i].Reason
	}
	switch {
	case len(anywhere) > 0:
		e.Level, e.Evidence = Open, anywhere
	case len(r.unknown) > 0:
		e.Evidence = r.unknown
		if e.Metadata == No {
			e.Metadata, e.Blocked = Undecided, r.unknown[0]
		}
	case len(public) > 0:
		e.Level, e.Evidence = PublicOnly, public
	case len(listed) > 0 && r.addresses >= most:
		text := fmt.Sprintf("the ranges that are listed hold %d million public addresses", r.addresses/1_000_000)
		e.Level, e.Evidence = PublicOnly, []Reason{{At: listed[0].At, Text: text}}
	case len(listed) > 0:
		e.Level, e.Evidence = AllowList, slices.Concat(listed, r.inside)
	case len(r.inside) > 0:
		e.Level, e.Evidence = ControlPlane, r.inside
	default:
		e.Level, e.Evidence = ControlPlane, []Reason{by}
	}
	return e
}

// ways sorts the ways to the internet by whether they lead to private ranges too, and
// leaves out what is denied.
func (r *reach) ways() (anywhere, public, listed []Reason) {
	deny := func(p netip.Prefix) bool { return covered(p, r.denied) }
	if len(r.denied) > 0 && !slices.ContainsFunc(everywhere, func(p netip.Prefix) bool { return !deny(p) }) {
		return nil, nil, nil
	}
	for _, w := range r.wide {
		if slices.ContainsFunc(w.private, func(p netip.Prefix) bool { return !deny(p) }) {
			anywhere = append(anywhere, Reason{At: w.at, Text: w.anywhere})
		} else {
			public = append(public, Reason{At: w.at, Text: w.public})
		}
	}
	return anywhere, public, r.listed
}

// open reports whether nothing denies what is behind a door.
func (r *reach) open(d door) bool {
	return slices.ContainsFunc(d.to, func(a netip.Addr) bool {
		return !slices.ContainsFunc(r.denied, func(p netip.Prefix) bool { return p.Contains(a) })
	})
}

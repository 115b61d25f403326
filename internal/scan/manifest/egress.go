package manifest

import "slices"

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
	anywhere []Reason // to all addresses
	public   []Reason // to all but private ones
	listed   []Reason // to addresses and names that are listed
	inside   []Reason // to chosen pods and services of the cluster
	holes    []Reason
	unknown  []Reason
	metadata []Reason // rules that let the metadata address through
}

// maxReasons is how many reasons of one kind are kept: that there is one decides.
const maxReasons = 20

func keep(to []Reason, r Reason) []Reason {
	if len(to) == maxReasons {
		return to
	}
	return append(to, r)
}

// egress is what the rules come to; none of them lets nothing through.
func (r *reach) egress(by Reason) Egress {
	e := Egress{Holes: r.holes, Metadata: No, Blocked: by}
	if len(r.metadata) > 0 {
		e.Metadata, e.Blocked = Yes, r.metadata[0]
	}
	switch {
	case len(r.anywhere) > 0:
		e.Level, e.Evidence = Open, r.anywhere
	case len(r.unknown) > 0:
		e.Evidence = r.unknown
		if e.Metadata == No {
			e.Metadata, e.Blocked = Undecided, r.unknown[0]
		}
	case len(r.public) > 0:
		e.Level, e.Evidence = PublicOnly, r.public
	case len(r.listed) > 0:
		e.Level, e.Evidence = AllowList, slices.Concat(r.listed, r.inside)
	case len(r.inside) > 0:
		e.Level, e.Evidence = ControlPlane, r.inside
	default:
		e.Level, e.Evidence = ControlPlane, []Reason{by}
	}
	return e
}

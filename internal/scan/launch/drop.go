package launch

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Verdict says whether root is given up before anything else than the image's
// own setup runs.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // not decidable from what was given
	None                   // on no path
	Partial                // on some paths, and on some not
	Shown                  // on every path
)

func (v Verdict) String() string { return [...]string{"unknown", "none", "partial", "shown"}[v] }

// A Drop is how a container that starts as root stops being it.
type Drop struct {
	// Verdict is over every path, whatever command and environment the container
	// is started with.
	Verdict Verdict
	// Default is the verdict for the image's own command and environment.
	Default Verdict
	User    accounts.User // who it drops to; of the first drop, if several differ
	How     string        // "gosu", "os.setuid"; empty if no drop was found
	Inside  bool          // a program drops that then goes on itself, as Python does
	Args    []string      // of the command that drops, without the command it starts
	Loose   bool          // the container's environment can change the user
	File    *image.File   // script that holds the drop, or ends the chain; nil for the config
	Line    int           // in File, or in the text after -c; 0 if none
	Bypass  Place         // where a path goes on as root; zero if none was found
	Reason  string        // why the verdict is not Shown
}

// An outcome is how one path ends.
type outcome struct {
	kind   kind
	user   accounts.User // for dropped, and for a drop to root
	how    string
	inside bool
	args   []string
	loose  bool
	at     Place
	reason string // for kept and hidden
	links  []Link
}

type kind uint8

const (
	dropped kind = iota
	kept         // goes on as root
	hidden       // can't be followed
)

func verdict(outcomes []outcome) Verdict {
	var n [3]int
	for _, o := range outcomes {
		n[o.kind]++
	}
	switch {
	case n[dropped] > 0 && n[kept] > 0:
		return Partial
	case n[hidden] > 0:
		return Unknown
	case n[dropped] > 0:
		return Shown
	}
	return None
}

// combine judges every path, and the usual ones. A path that runs whatever it is
// given is judged by what the image gives it, but never better than partial.
func combine(every, usual []outcome) Drop {
	d := Drop{Verdict: verdict(every), Default: verdict(usual)}
	if d.Verdict == None && d.Default != None {
		if d.Verdict = d.Default; d.Default == Shown {
			d.Verdict = Partial
		}
	}
	all := append(append([]outcome(nil), every...), usual...)
	if o := first(all, dropped); o != nil {
		d.take(o)
	}
	k, h := first(all, kept), first(all, hidden)
	if k != nil {
		d.Bypass = k.at
	}
	switch {
	case d.Verdict == Shown:
	case d.Verdict == Unknown && h != nil:
		d.explain(h)
	case k != nil:
		d.explain(k)
	default:
		d.Reason = "nothing is started"
	}
	return d
}

func first(outcomes []outcome, k kind) *outcome {
	for i := range outcomes {
		if outcomes[i].kind == k {
			return &outcomes[i]
		}
	}
	return nil
}

func (d *Drop) take(o *outcome) {
	d.User, d.How, d.Inside, d.Args, d.Loose, d.File, d.Line = o.user, o.how, o.inside, o.args, o.loose, o.at.File, o.at.Line
}

// explain gives the reason of o, which says more than a drop does elsewhere.
func (d *Drop) explain(o *outcome) {
	d.Reason = fmt.Sprintf("%s: %s", o.at, o.reason)
	if d.How == "" {
		d.take(o)
	}
}

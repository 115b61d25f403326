package manifest

import (
	"slices"
	"strings"
)

// A policy is one rule set of a network policy. What it lets out is the same for all
// pods, so it is read once.
type policy struct {
	object       *object
	selector     *value
	cilium       bool // its labels and selectors are Cilium's
	anyNamespace bool // it is for pods of all namespaces
	confines     bool // what it does not let out is blocked
	why          Reason
	lets         reach
}

// policies are those that an object holds.
func (o *object) policies() []*policy {
	switch {
	case o.isNetworkPolicy():
		return o.networkPolicy()
	case o.isCilium():
		return o.ciliumPolicies()
	}
	return nil
}

// A cluster is what the objects that were given say about one another.
type cluster struct {
	accounts   map[string][]*object // service accounts by name
	policies   []*policy
	unjudged   []*object       // policies that are not understood and may decide otherwise
	namespaces []string        // all that are named
	templates  map[string]bool // of agent-sandbox, by name
}

func newCluster(all []*object) *cluster {
	c := &cluster{accounts: map[string][]*object{}, templates: map[string]bool{}}
	named := map[string]bool{}
	for _, o := range all {
		if o.namespace != "" && !named[o.namespace] {
			named[o.namespace] = true
			c.namespaces = append(c.namespaces, o.namespace)
		}
		switch {
		case o.kind == "ServiceAccount" && o.group == "":
			c.accounts[o.name] = append(c.accounts[o.name], o)
		case o.isTemplate():
			c.templates[o.name] = true
		case o.isForeignPolicy():
			c.unjudged = append(c.unjudged, o)
		default:
			c.policies = append(c.policies, o.policies()...)
		}
	}
	return c
}

// together reports whether two objects are in one namespace. One that names none goes
// where it is applied; where all others name the same, that is it.
func (c *cluster) together(a, b string) Answer {
	switch {
	case a == b:
		return Yes
	case a != "" && b != "":
		return No
	case len(c.namespaces) == 1:
		return Yes
	}
	return Undecided
}

// selects reports whether a policy is for a workload, by the labels it has for it.
func (c *cluster) selects(p *policy, w *Workload, labels map[string]string) Answer {
	where := Yes
	if !p.anyNamespace {
		if where = c.together(p.object.namespace, w.Namespace); where == No {
			return No
		}
	}
	if is := selects(p.selector, labels, p.cilium); is != Yes {
		return is
	}
	return where
}

// egress is what the policies of the cluster let a workload of o send.
func (c *cluster) egress(o *object, w *Workload) Egress {
	for _, ns := range w.HostNamespaces {
		switch {
		case ns.Value != "network":
		case ns.Unknown != "":
			why := Reason{At: ns.At, Text: "whether it shares the network of the host can't be told: " + ns.Unknown}
			return Egress{Evidence: []Reason{why}, Blocked: why}
		default:
			why := Reason{At: ns.At, Text: "it shares the network of the host, where network policies do not apply"}
			return Egress{Level: Open, Evidence: []Reason{why}, Metadata: Yes, Blocked: why}
		}
	}
	var r reach
	var by []Reason
	if why, ok := o.managed(&r); ok {
		by = append(by, why)
	}
	more := ciliumLabels(w)
	for _, p := range c.policies {
		labels := w.Labels
		if p.cilium {
			labels = more
		}
		switch c.selects(p, w, labels) {
		case Undecided:
			r.unknown = keep(r.unknown, Reason{At: p.why.At, Text: "whether " + p.object.String() + " selects it is not known: " + c.doubt(p, w)})
		case Yes:
			r.add(&p.lets)
			if p.confines {
				by = keep(by, p.why)
			}
		}
	}
	for _, u := range c.unjudged {
		if u.clusterwide() || c.together(u.namespace, w.Namespace) != No {
			r.unknown = keep(r.unknown, Reason{At: u.root.at, Text: u.String() + " is not judged, and may let out more or less"})
		}
	}
	return r.settle(w, by)
}

// settle is the egress of a workload that the policies in by confine.
func (r *reach) settle(w *Workload, by []Reason) Egress {
	switch {
	case len(by) > 0:
		return r.egress(by[0])
	case len(r.unknown) > 0:
		return Egress{Evidence: r.unknown, Blocked: r.unknown[0]}
	}
	why := Reason{At: w.At, Text: "no network policy that was given selects " + w.String() + " for egress, so it can send anywhere"}
	return Egress{Level: Open, Evidence: []Reason{why}, Metadata: Yes, Blocked: why}
}

// doubt says why it is not known whether a policy selects a workload.
func (c *cluster) doubt(p *policy, w *Workload) string {
	if !p.anyNamespace && c.together(p.object.namespace, w.Namespace) == Undecided {
		return "not both of them say which namespace they are in"
	}
	return "its selector is not understood, or asks for labels that are added when the pod is made"
}

// managed applies the policy that the controller of agent-sandbox makes for a
// template: its own one, or else all public addresses (SandboxTemplateSpec,
// networkPolicy and networkPolicyManagement).
func (o *object) managed(r *reach) (Reason, bool) {
	spec := o.root.get("spec")
	if !o.isTemplate() || spec.get("networkPolicyManagement").str() == "Unmanaged" {
		return Reason{}, false
	}
	np := spec.get("networkPolicy")
	if !np.given() {
		why := Reason{At: spec.where(), Text: "the controller's default policy lets it send to every public address, and to no private one"}
		r.wide = keep(r.wide, route{at: why.At, public: why.Text})
		return why, true
	}
	for _, rule := range np.get("egress").list() {
		r.rule(rule)
	}
	return Reason{At: np.at, Text: "the template's network policy lets nothing else out"}, true
}

// foreign are groups whose policies are not understood here, and decide about egress
// beside or before those that are.
var foreign = []string{"policy.networking.k8s.io", "projectcalico.org", "crd.projectcalico.org", "crd.antrea.io", "networking.gke.io", "k8s.ovn.org", "network.openshift.io", "networking.k8s.aws"}

// isForeignPolicy reports whether an object is such a policy, and for egress.
func (o *object) isForeignPolicy() bool {
	if !slices.Contains(foreign, o.group) || !strings.Contains(o.kind, "Policy") && !strings.HasPrefix(o.kind, "Egress") {
		return false
	}
	spec := o.root.get("spec")
	types := spec.get("types").list()
	return spec.get("egress").given() || slices.ContainsFunc(types, func(t *value) bool { return t.str() == "Egress" })
}

// clusterwide reports whether a policy is for pods of all namespaces by its kind.
func (o *object) clusterwide() bool { return o.namespace == "" }

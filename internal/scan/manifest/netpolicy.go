package manifest

import (
	"slices"
	"strings"
)

// networkPolicy follows the NetworkPolicySpec: it confines the pods that its selector
// matches, for egress if policyTypes says so, or without them if it has egress rules
// (networking.k8s.io/v1, SetDefaults_NetworkPolicy).
func (o *object) networkPolicy() []*policy {
	spec := o.root.get("spec")
	rules := spec.get("egress")
	egress := len(rules.list()) > 0
	if types := spec.get("policyTypes"); len(types.list()) > 0 {
		egress = slices.ContainsFunc(types.list(), func(t *value) bool { return t.str() == "Egress" })
	}
	if !egress {
		return nil
	}
	p := &policy{object: o, selector: spec.get("podSelector"), confines: true, why: o.only(spec)}
	for _, rule := range rules.list() {
		p.lets.rule(rule)
	}
	return []*policy{p}
}

// only says that nothing but what a policy lists leaves.
func (o *object) only(spec *value) Reason {
	return Reason{At: spec.where(), Text: o.String() + " lets nothing else out"}
}

// rule adds one NetworkPolicyEgressRule: no peers are all peers, no ports all ports.
func (r *reach) rule(rule *value) {
	on := portsOf(rule.get("ports").list())
	peers := rule.get("to").list()
	switch {
	case len(peers) == 0 && on.dns():
		r.anyDNS(rule.at)
	case len(peers) == 0:
		r.everything(rule.at, "a rule without peers lets it send anywhere", on)
	}
	for _, p := range peers {
		r.peer(p, on)
	}
}

func (r *reach) peer(p *value, on ports) {
	if block := p.get("ipBlock"); block.given() {
		r.block(block.get("cidr"), block.get("except").list(), on)
		return
	}
	if on.dns() {
		r.inside = keep(r.inside, Reason{At: p.at, Text: "DNS inside of the cluster"})
		return
	}
	pods, spaces := p.get("podSelector"), p.get("namespaceSelector")
	var what string
	switch {
	case pods != nil && !everything(pods):
		what = "pods with " + selectorText(pods)
		if spaces != nil && !everything(spaces) {
			what += " of namespaces with " + selectorText(spaces)
		}
	case spaces != nil && !everything(spaces):
		what = "all pods of namespaces with " + selectorText(spaces)
	case spaces != nil:
		what = "every pod of the cluster"
		r.holes = keep(r.holes, Reason{At: p.at, Text: "every pod of the cluster can be reached" + on.on(), Slight: true})
	default:
		what = "every pod of the namespace"
		r.holes = keep(r.holes, Reason{At: p.at, Text: "every pod of the namespace can be reached, other sandboxes too" + on.on(), Slight: true})
	}
	r.inside = keep(r.inside, Reason{At: p.at, Text: what + on.on()})
}

// everything reports whether a selector matches whatever there is.
func everything(sel *value) bool {
	return len(sel.get("matchLabels").pairs()) == 0 && len(sel.get("matchExpressions").list()) == 0
}

// isNetworkPolicy reports whether an object is Kubernetes' own network policy.
func (o *object) isNetworkPolicy() bool {
	return o.kind == "NetworkPolicy" && (o.group == "networking.k8s.io" || o.group == "extensions")
}

// isCilium reports whether an object is one of Cilium's network policies.
func (o *object) isCilium() bool {
	return o.group == "cilium.io" && strings.HasPrefix(o.kind, "Cilium") && strings.HasSuffix(o.kind, "NetworkPolicy")
}

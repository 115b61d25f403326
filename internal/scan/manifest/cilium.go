package manifest

import (
	"maps"
	"strings"
)

// ciliumPolicies follow a CiliumNetworkPolicy: each of its rules with an egress section
// confines the endpoints that it selects, unless enableDefaultDeny switches that off. An
// empty section is none (cilium.io/v2, Rule: "If omitted or empty, this rule does not
// apply at egress").
func (o *object) ciliumPolicies() []*policy {
	specs := o.root.get("specs").list()
	if spec := o.root.get("spec"); spec.given() {
		specs = append([]*value{spec}, specs...)
	}
	var out []*policy
	for _, spec := range specs {
		egress, deny := spec.get("egress").list(), spec.get("egressDeny").list()
		if spec.get("endpointSelector") == nil || len(egress)+len(deny) == 0 {
			continue // it is for ingress or for nodes
		}
		p := &policy{object: o, selector: spec.get("endpointSelector"), cilium: true, why: o.only(spec),
			anyNamespace: o.kind == "CiliumClusterwideNetworkPolicy",
			confines:     !spec.get("enableDefaultDeny", "egress").setting(spec.at).False()}
		for _, rule := range egress {
			p.lets.ciliumRule(rule)
		}
		for _, rule := range deny {
			p.lets.ciliumDeny(rule)
		}
		out = append(out, p)
	}
	return out
}

// ciliumLabels are the labels of a pod, with those that Cilium adds.
func ciliumLabels(w *Workload) map[string]string {
	out := maps.Clone(w.Labels)
	if w.Namespace != "" {
		out["io.kubernetes.pod.namespace"] = w.Namespace
	}
	return out
}

// ciliumRule adds one egress rule: destinations of several kinds, and ports that hold
// for all of them. Without a kind of destination, ports lead anywhere.
func (r *reach) ciliumRule(rule *value) {
	on := ciliumPorts(rule)
	aimed := false
	has := func(key string) []*value {
		v := rule.get(key)
		aimed = aimed || v != nil
		return v.list()
	}
	for _, n := range has("toFQDNs") {
		r.name(n, on)
	}
	for _, c := range has("toCIDR") {
		r.block(c, nil, on)
	}
	for _, c := range has("toCIDRSet") {
		r.cidrSet(c, on)
	}
	for _, e := range has("toEntities") {
		r.entity(e, on)
	}
	for _, e := range has("toEndpoints") {
		switch {
		case on.dns():
			r.inside = keep(r.inside, Reason{At: e.at, Text: "DNS inside of the cluster"})
		case everything(e):
			r.holes = keep(r.holes, Reason{At: e.at, Text: "every pod of the namespace can be reached, other sandboxes too", Slight: true})
		default:
			r.inside = keep(r.inside, Reason{At: e.at, Text: "pods with " + selectorText(e) + on.on()})
		}
	}
	for _, s := range has("toServices") {
		r.inside = keep(r.inside, Reason{At: s.at, Text: "a service that is named"})
	}
	for _, s := range append(has("toGroups"), has("toNodes")...) {
		r.unknown = keep(r.unknown, Reason{At: s.at, Text: "what the group stands for is not in the manifest"})
	}
	switch ports := rule.get("toPorts"); {
	case aimed || !ports.given():
	case on.dns():
		r.anyDNS(rule.at)
	default:
		r.everything(rule.at, "a rule with ports and no destination lets it send anywhere", on)
	}
}

// cidrSet adds a range of addresses, or a group of them that another object lists.
func (r *reach) cidrSet(c *value, on ports) {
	if group := c.get("cidrGroupRef"); group.given() {
		r.unknown = keep(r.unknown, Reason{At: group.at, Text: "the ranges of the group " + group.str() + " are not in the policy"})
		return
	}
	r.block(c.get("cidr"), c.get("except").list(), on)
}

func (r *reach) name(n *value, on ports) {
	pattern := n.get("matchPattern").str()
	top, wild := strings.CutPrefix(pattern, "*.")
	switch name := n.get("matchName").str(); {
	case name != "":
		r.listed = keep(r.listed, Reason{At: n.at, Text: name + on.on()})
	case pattern == "":
	case strings.Trim(pattern, "*.") == "" || wild && !strings.Contains(strings.Trim(top, "."), "."):
		r.wide = keep(r.wide, routeOf(n.at, "nearly every name is allowed: matchPattern "+pattern+on.on(), "names that match "+pattern+" are all of the internet"+on.on()))
	default:
		r.listed = keep(r.listed, Reason{At: n.at, Text: pattern + on.on()})
	}
}

// entity adds one of Cilium's entities (docs.cilium.io, "Entities Based").
func (r *reach) entity(e *value, on ports) {
	switch e.str() {
	case "world", "all", "world-ipv4", "world-ipv6":
		if on.dns() {
			r.anyDNS(e.at)
			return
		}
		r.everything(e.at, "the entity "+e.str()+" is everywhere outside of the cluster", on)
	case "cluster":
		r.holes = keep(r.holes, Reason{At: e.at, Text: "every pod and node of the cluster can be reached"})
	case "host", "remote-node", "kube-apiserver", "ingress", "init", "unmanaged":
		r.holes = keep(r.holes, Reason{At: e.at, Text: "the entity " + e.str() + " can be reached"})
	case "none", "health":
	default:
		r.unknown = keep(r.unknown, Reason{At: e.at, Text: "the entity " + e.str() + " is not known"})
	}
}

// ciliumDeny adds what no rule lets through: ranges, and everything outside. What is
// denied on some ports only is not counted.
func (r *reach) ciliumDeny(rule *value) {
	if len(ciliumPorts(rule)) > 0 {
		return
	}
	for _, c := range rule.get("toCIDR").list() {
		r.deny(c)
	}
	for _, c := range rule.get("toCIDRSet").list() {
		if len(c.get("except").list()) == 0 {
			r.deny(c.get("cidr"))
		}
	}
	for _, e := range rule.get("toEntities").list() {
		switch e.str() {
		case "world", "all":
			r.denied = append(r.denied, everywhere...)
		case "world-ipv4":
			r.denied = append(r.denied, everywhere[0])
		case "world-ipv6":
			r.denied = append(r.denied, everywhere[1])
		}
	}
}

func (r *reach) deny(cidr *value) {
	if p, ok := prefix(cidr.str()); ok && cidr.unknown == "" {
		r.denied = append(r.denied, p)
	}
}

// ciliumPorts are those of all groups of a rule.
func ciliumPorts(rule *value) ports {
	var all []*value
	for _, group := range rule.get("toPorts").list() {
		of := group.get("ports").list()
		if len(of) == 0 {
			return nil
		}
		all = append(all, of...)
	}
	return portsOf(all)
}

package manifest

// cilium follows a CiliumNetworkPolicy: a rule with an egress section confines the
// endpoints it selects, unless enableDefaultDeny switches that off
// (docs.cilium.io, "Policy Enforcement Modes").
func (o *object) cilium(w *Workload, r *reach) (Reason, bool) {
	if o.kind == "CiliumNetworkPolicy" && !sameNamespace(o.namespace, w.Namespace) {
		return Reason{}, false
	}
	specs := o.root.get("specs").list()
	if spec := o.root.get("spec"); spec.given() {
		specs = append([]*value{spec}, specs...)
	}
	var by Reason
	confined := false
	for _, spec := range specs {
		sel := spec.get("endpointSelector")
		egress := spec.get("egress")
		if sel == nil || egress == nil && !spec.get("egressDeny").given() || spec.get("enableDefaultDeny", "egress").setting(spec.at).False() {
			continue
		}
		switch selects(sel, ciliumLabels(w), "k8s:") {
		case No:
			continue
		case Undecided:
			r.unknown = keep(r.unknown, Reason{At: sel.at, Text: "whether " + o.String() + " selects it is not known: its selector is not understood"})
			continue
		}
		confined, by = true, Reason{At: spec.where(), Text: o.String() + " lets nothing else out"}
		for _, rule := range egress.list() {
			r.ciliumRule(rule)
		}
	}
	return by, confined
}

// ciliumLabels are the labels of a pod, with those that Cilium adds.
func ciliumLabels(w *Workload) map[string]string {
	out := map[string]string{}
	for k, v := range w.Labels {
		out[k] = v
	}
	if w.Namespace != "" {
		out["io.kubernetes.pod.namespace"] = w.Namespace
	}
	return out
}

// ciliumRule adds one egress rule: destinations of several kinds, and ports that hold
// for all of them. Without a kind of destination, ports lead anywhere.
func (r *reach) ciliumRule(rule *value) {
	only := onlyCiliumPort(rule.get("toPorts"))
	aimed := false
	has := func(key string) []*value {
		v := rule.get(key)
		aimed = aimed || v != nil
		return v.list()
	}
	for _, n := range has("toFQDNs") {
		r.name(n)
	}
	for _, c := range has("toCIDR") {
		r.block(c, nil, only)
	}
	for _, c := range has("toCIDRSet") {
		r.block(c.get("cidr"), c.get("except").list(), only)
	}
	for _, e := range has("toEntities") {
		r.entity(e, only)
	}
	for _, e := range has("toEndpoints") {
		switch {
		case only == "53":
			r.inside = keep(r.inside, Reason{At: e.at, Text: "DNS inside of the cluster"})
		case len(e.get("matchLabels").pairs()) == 0 && len(e.get("matchExpressions").list()) == 0:
			r.holes = keep(r.holes, Reason{At: e.at, Text: "every pod of the namespace can be reached, other sandboxes too", Slight: true})
		default:
			r.inside = keep(r.inside, Reason{At: e.at, Text: "pods with " + selectorText(e) + onPort(only)})
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
	case only == "53":
		r.holes = keep(r.holes, Reason{At: rule.at, Text: "DNS to any server: what is looked up can carry data out", Slight: true})
	default:
		r.everything(rule.at, "a rule with ports and no destination lets it send anywhere"+onPort(only), only)
	}
}

func (r *reach) name(n *value) {
	pattern := n.get("matchPattern").str()
	switch name := n.get("matchName").str(); {
	case name != "":
		r.listed = keep(r.listed, Reason{At: n.at, Text: name})
	case pattern == "*" || pattern == "**" || pattern == "*.*":
		r.anywhere = keep(r.anywhere, Reason{At: n.at, Text: "every name is allowed: matchPattern " + pattern})
	case pattern != "":
		r.listed = keep(r.listed, Reason{At: n.at, Text: pattern})
	}
}

// entity adds one of Cilium's entities (docs.cilium.io, "Entities Based").
func (r *reach) entity(e *value, only string) {
	switch e.str() {
	case "world", "all", "world-ipv4", "world-ipv6":
		if only == "53" {
			r.holes = keep(r.holes, Reason{At: e.at, Text: "DNS to any server: what is looked up can carry data out", Slight: true})
			return
		}
		r.everything(e.at, "the entity "+e.str()+" is everywhere outside of the cluster"+onPort(only), only)
	case "cluster":
		r.holes = keep(r.holes, Reason{At: e.at, Text: "every pod and node of the cluster can be reached"})
	case "host", "remote-node", "kube-apiserver":
		r.holes = keep(r.holes, Reason{At: e.at, Text: "the entity " + e.str() + " can be reached"})
	case "none":
	default:
		r.unknown = keep(r.unknown, Reason{At: e.at, Text: "the entity " + e.str() + " is not known"})
	}
}

func onlyCiliumPort(ports *value) string {
	only := ""
	for _, group := range ports.list() {
		for _, p := range group.get("ports").list() {
			n := p.get("port").str()
			if n == "" || n == "0" || p.get("endPort").given() || only != "" && only != n {
				return ""
			}
			only = n
		}
	}
	return only
}

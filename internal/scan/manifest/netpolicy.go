package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// egressOf is what the given policies let a pod send.
func (o *object) egressOf(w *Workload, all []*object) Egress {
	for _, ns := range w.HostNamespaces {
		if ns.Value == "network" && ns.Unknown == "" {
			why := Reason{At: ns.At, Text: "it shares the network of the host, where network policies do not apply"}
			return Egress{Level: Open, Evidence: []Reason{why}, Metadata: Yes, Blocked: why}
		}
	}
	var r reach
	var by []Reason
	if why, ok := o.managed(&r); ok {
		by = append(by, why)
	}
	for _, pol := range all {
		if why, ok := pol.confines(w, &r); ok {
			by = append(by, why)
		}
	}
	if len(by) == 0 {
		why := Reason{At: w.At, Text: "no network policy that was given selects " + w.String() + " for egress, so it can send anywhere"}
		if len(r.unknown) > 0 {
			return Egress{Evidence: r.unknown, Blocked: r.unknown[0]}
		}
		return Egress{Level: Open, Evidence: []Reason{why}, Metadata: Yes, Blocked: why}
	}
	return r.egress(by[0])
}

// managed applies the policy that the controller of agent-sandbox makes for a
// template: its own one, or else all public addresses (SandboxTemplateSpec,
// networkPolicy and networkPolicyManagement).
func (o *object) managed(r *reach) (Reason, bool) {
	spec := o.root.get("spec")
	if !o.agentSandbox() || o.kind != "SandboxTemplate" || spec.get("networkPolicyManagement").str() == "Unmanaged" {
		return Reason{}, false
	}
	np := spec.get("networkPolicy")
	if !np.given() {
		why := Reason{At: spec.where(), Text: "the controller's default policy lets it send to every public address, and to no private one"}
		r.public = keep(r.public, why)
		return why, true
	}
	for _, rule := range np.get("egress").list() {
		r.rule(rule)
	}
	return Reason{At: np.at, Text: "the template's network policy lets nothing else out"}, true
}

// confines adds what a policy lets a pod send; false if it does not confine its egress.
func (o *object) confines(w *Workload, r *reach) (Reason, bool) {
	switch {
	case o.kind == "NetworkPolicy" && (o.group == "networking.k8s.io" || o.group == "extensions"):
		return o.networkPolicy(w, r)
	case (o.kind == "CiliumNetworkPolicy" || o.kind == "CiliumClusterwideNetworkPolicy") && o.group == "cilium.io":
		return o.cilium(w, r)
	}
	return Reason{}, false
}

// networkPolicy follows the NetworkPolicySpec: it confines the pods that its selector
// matches, for egress if policyTypes says so, or if it has egress rules.
func (o *object) networkPolicy(w *Workload, r *reach) (Reason, bool) {
	spec := o.root.get("spec")
	if !sameNamespace(o.namespace, w.Namespace) {
		return Reason{}, false
	}
	switch selects(spec.get("podSelector"), w.Labels, "") {
	case No:
		return Reason{}, false
	case Undecided:
		r.unknown = keep(r.unknown, Reason{At: o.root.at, Text: "whether " + o.String() + " selects it is not known: its selector is not understood"})
		return Reason{}, false
	}
	rules := spec.get("egress")
	egress := rules.given()
	if types := spec.get("policyTypes"); types.given() {
		egress = slices.ContainsFunc(types.list(), func(t *value) bool { return t.str() == "Egress" })
	}
	if !egress {
		return Reason{}, false
	}
	for _, rule := range rules.list() {
		r.rule(rule)
	}
	return Reason{At: spec.where(), Text: o.String() + " lets nothing else out"}, true
}

// rule adds one NetworkPolicyEgressRule: no peers are all peers, no ports all ports.
func (r *reach) rule(rule *value) {
	at := rule.at
	ports := rule.get("ports")
	only := onlyPort(ports)
	peers := rule.get("to").list()
	if len(peers) == 0 {
		if only == "53" {
			r.holes = keep(r.holes, Reason{At: at, Text: "DNS to any server: what is looked up can carry data out", Slight: true})
			return
		}
		r.everything(at, "a rule without peers lets it send anywhere"+onPort(only), only)
		return
	}
	for _, p := range peers {
		r.peer(p, only)
	}
}

// everything adds a way to all addresses, on one port if only is not empty.
func (r *reach) everything(at Place, text, only string) {
	r.anywhere = keep(r.anywhere, Reason{At: at, Text: text})
	if only == "" || only == "80" {
		r.metadata = keep(r.metadata, Reason{At: at, Text: text + ", also to the metadata address"})
	}
}

func (r *reach) peer(p *value, only string) {
	if block := p.get("ipBlock"); block.given() {
		r.block(block.get("cidr"), block.get("except").list(), only)
		return
	}
	pods, spaces := p.get("podSelector"), p.get("namespaceSelector")
	every := func(s *value) bool {
		return len(s.get("matchLabels").pairs()) == 0 && len(s.get("matchExpressions").list()) == 0
	}
	what := "pods that a selector chooses" + onPort(only)
	if only == "53" {
		r.inside = keep(r.inside, Reason{At: p.at, Text: "DNS inside of the cluster"})
		return
	}
	switch {
	case pods != nil && !every(pods):
		what = "pods with " + selectorText(pods) + onPort(only)
	case spaces != nil && !every(spaces):
		what = "all pods of namespaces with " + selectorText(spaces) + onPort(only)
	case spaces != nil:
		r.holes = keep(r.holes, Reason{At: p.at, Text: "every pod of the cluster can be reached" + onPort(only), Slight: true})
	default:
		r.holes = keep(r.holes, Reason{At: p.at, Text: "every pod of the namespace can be reached, other sandboxes too" + onPort(only), Slight: true})
	}
	r.inside = keep(r.inside, Reason{At: p.at, Text: what})
}

// onlyPort is the one port that a rule is for; empty if it is for several or all.
func onlyPort(ports *value) string {
	only := ""
	for _, p := range ports.list() {
		n := p.get("port").str()
		if strings.EqualFold(n, "dns") || strings.EqualFold(n, "dns-tcp") {
			n = "53"
		}
		if n == "" || p.get("endPort").given() || only != "" && only != n {
			return ""
		}
		only = n
	}
	return only
}

func onPort(only string) string {
	if only == "" {
		return ""
	}
	return fmt.Sprintf(", on port %s", only)
}

package manifest

import (
	"fmt"
	"strings"
	"testing"
)

const (
	egressPod       = "apiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: n, labels: {app: agent}}\nspec: {containers: [{name: main, image: i}]}\n---\n"
	netPolicy       = egressPod + "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: n}\nspec: "
	cilium          = egressPod + "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: p, namespace: n}\nspec: "
	public          = "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}}]}]}"
	sandboxTemplate = "apiVersion: extensions.agents.x-k8s.io/v1beta1\nkind: SandboxTemplate\nmetadata: {name: t}\nspec: {podTemplate: {spec: {containers: [{name: main, image: i}]}}%s}\n"
)

func TestKubernetesEgress(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		level      EgressLevel
		holes      int
		metadata   Answer
	}{
		{"no policy", egressPod, Open, 0, Yes},
		{"host network", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: true, containers: [{name: m, image: i}]}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nspec: {podSelector: {}, policyTypes: [Egress]}\n", Open, 0, Yes},
		{"deny all", netPolicy + "{podSelector: {}, policyTypes: [Egress]}", ControlPlane, 0, No},
		{"egress without policyTypes", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}]}]}", AllowList, 0, No},
		{"no egress rules and no policyTypes", netPolicy + "{podSelector: {}, egress: []}", Open, 0, Yes},
		{"empty policyTypes", netPolicy + "{podSelector: {}, policyTypes: [], egress: []}", Open, 0, Yes},
		{"for ingress only", netPolicy + "{podSelector: {}, ingress: []}", Open, 0, Yes},
		{"policyTypes without Egress", netPolicy + "{podSelector: {}, policyTypes: [Ingress], egress: []}", Open, 0, Yes},
		{"another pod", netPolicy + "{podSelector: {matchLabels: {app: x}}, policyTypes: [Egress]}", Open, 0, Yes},
		{"another namespace", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: other}\nspec: {podSelector: {}, policyTypes: [Egress]}\n---\n" + egressPod, Open, 0, Yes},
		{"expressions", netPolicy + "{podSelector: {matchExpressions: [{key: app, operator: In, values: [agent]}, {key: x, operator: DoesNotExist}]}, policyTypes: [Ingress, Egress], egress: []}", ControlPlane, 0, No},
		{"an operator that is not known", netPolicy + "{podSelector: {matchExpressions: [{key: app, operator: Like}]}, policyTypes: [Egress]}", EgressUnknown, 0, Undecided},
		{"a rule for everything", netPolicy + "{podSelector: {}, egress: [{}]}", Open, 0, Yes},
		{"a port to everywhere", netPolicy + "{podSelector: {}, egress: [{ports: [{port: 22}]}]}", Open, 0, No},
		{"all addresses", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}", Open, 0, Yes},
		{"two halves", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/1}}]}]}", Open, 0, Yes},
		{"all but the metadata range", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [169.254.169.254/32]}}]}]}", Open, 0, No},
		{"public addresses", netPolicy + public, PublicOnly, 0, No},
		{"a list", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}]}]}", AllowList, 0, No},
		{"a whole private network", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}", AllowList, 1, No},
		{"the metadata address", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 169.254.169.254/32}}]}]}", AllowList, 0, Yes},
		{"a bad range", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: nonsense}}]}]}", EgressUnknown, 0, Undecided},
		{"the control plane and DNS", netPolicy + "{podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: cp}}}]}, {to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}]}", ControlPlane, 0, No},
		{"DNS to any server", netPolicy + "{podSelector: {}, egress: [{ports: [{port: 53}]}]}", ControlPlane, 1, No},
		{"every pod of the cluster", netPolicy + "{podSelector: {}, egress: [{to: [{namespaceSelector: {}}]}]}", ControlPlane, 1, No},
		{"every pod of the namespace", netPolicy + "{podSelector: {}, egress: [{to: [{podSelector: {}}]}]}", ControlPlane, 1, No},
		{"rules of two policies", netPolicy + "{podSelector: {}, policyTypes: [Egress]}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: n}\nspec: " + public, PublicOnly, 0, No},
		{"names", cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchName: a.example}, {matchPattern: '*.b.example'}]}, {toEndpoints: [{matchLabels: {'k8s:app': dns}}], toPorts: [{ports: [{port: '53'}]}]}]}", AllowList, 0, No},
		{"all names", cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchPattern: '*'}]}]}", Open, 0, No},
		{"the world", cilium + "{endpointSelector: {matchLabels: {'k8s:app': agent}}, egress: [{toEntities: [world]}]}", Open, 0, Yes},
		{"the cluster", cilium + "{endpointSelector: {}, egress: [{toEntities: [cluster]}]}", ControlPlane, 1, No},
		{"no default deny", cilium + "{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{toFQDNs: [{matchName: a}]}]}", Open, 0, Yes},
		{"a section without rules", cilium + "{endpointSelector: {}, egress: []}", Open, 0, Yes},
		{"a rule for nothing", cilium + "{endpointSelector: {}, egress: [{}]}", ControlPlane, 0, No},
		{"a port of Cilium", cilium + "{endpointSelector: {}, egress: [{toPorts: [{ports: [{port: '443'}]}]}]}", Open, 0, No},
		{"ranges of Cilium", cilium + "{endpointSelector: {}, egress: [{toCIDRSet: [{cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}]}]}", PublicOnly, 0, No},
	} {
		e := readCluster(t, tt.text).Workloads[0].Egress
		if e.Level != tt.level || len(e.Holes) != tt.holes || e.Metadata != tt.metadata || len(e.Evidence) == 0 {
			t.Errorf("%s: %s, holes %v, metadata %v, want %s, %d, %v (%v)", tt.name, e.Level, e.Holes, e.Metadata, tt.level, tt.holes, tt.metadata, e.Evidence)
		}
	}
}

// TestManyPolicies are policies that together say more than each of them, and those
// whose word does not count.
func TestManyPolicies(t *testing.T) {
	const (
		other   = "\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: q, namespace: n}\nspec: "
		allowed = "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}]}]}"
		denied  = "egressDeny: [{toCIDR: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 'fc00::/7', 'fd00:ec2::254/128']}]"
		admin   = "\n---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: a}\nspec: {subject: {namespaces: {}}, egress: [{action: Allow, to: [{networks: [0.0.0.0/0]}]}]}\n"
		bare    = "apiVersion: v1\nkind: Pod\nmetadata: {name: agent, labels: {app: agent}}\nspec: {containers: [{name: main, image: i}]}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: n}\nspec: {podSelector: {}, policyTypes: [Egress]}\n"
	)
	for _, tt := range []struct {
		name, text string
		level      EgressLevel
		metadata   Answer
	}{
		{"deny all and a list", netPolicy + "{podSelector: {}, policyTypes: [Ingress, Egress]}" + other + allowed, AllowList, No},
		{"the widest counts", netPolicy + allowed + other + public, PublicOnly, No},
		{"a hole for IPv6", netPolicy + public + other + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: '::/0'}}]}]}", Open, Yes},
		{"IPv6 without its private ranges", netPolicy + public + other + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: '::/0', except: ['fc00::/7', 'fe80::/10']}}]}]}", PublicOnly, No},
		{"the metadata address alone of its range", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.169.254/32]}}]}]}", PublicOnly, No},
		{"without the metadata address", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16]}}], ports: [{port: 443}]}]}", Open, No},
		{"IPv4 as IPv6", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: '::ffff:0:0/96'}}]}]}", Open, Yes},
		{"private ranges in halves", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/9, 10.128.0.0/9, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}}]}]}", PublicOnly, No},
		{"a private range but for a piece", netPolicy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/9, 10.128.0.0/10, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}}]}]}", Open, No},
		{"the internet in pieces", netPolicy + "{podSelector: {}, egress: [{to: [" + blocks(16, 32) + "]}]}", PublicOnly, No},
		{"a few of the pieces", netPolicy + "{podSelector: {}, egress: [{to: [" + blocks(20, 25) + "]}]}", AllowList, No},
		{"two ports to everywhere", netPolicy + "{podSelector: {}, egress: [{ports: [{port: 443}, {port: 8443}]}]}", Open, No},
		{"a range of ports with that of the metadata service", netPolicy + "{podSelector: {}, egress: [{ports: [{port: 1, endPort: 1024}]}]}", Open, Yes},
		{"a protocol to everywhere", netPolicy + "{podSelector: {}, egress: [{ports: [{protocol: TCP}]}]}", Open, Yes},
		{"pods of a namespace", netPolicy + "{podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: cp}}, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: system}}}]}]}", ControlPlane, No},
		{"a label that a controller adds", netPolicy + "{podSelector: {matchLabels: {agents.x-k8s.io/sandbox-name-hash: '12'}}, policyTypes: [Egress]}", EgressUnknown, Undecided},
		{"a label that is not the pod's, and one that a controller adds", netPolicy + "{podSelector: {matchLabels: {job-name: x, app: other}}, policyTypes: [Egress]}", Open, Yes},
		{"the only namespace that is named", bare, ControlPlane, No},
		{"one of two namespaces", bare + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: m}\n", EgressUnknown, Undecided},
		{"an AdminNetworkPolicy alone", egressPod + admin, EgressUnknown, Undecided},
		{"an AdminNetworkPolicy before others", netPolicy + allowed + admin, EgressUnknown, Undecided},
		{"an AdminNetworkPolicy for ingress", netPolicy + allowed + "\n---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: a}\nspec: {ingress: [{}]}\n", AllowList, No},
		{"the world without what is denied", cilium + "{endpointSelector: {}, egress: [{toEntities: [world]}], " + denied + "}", PublicOnly, No},
		{"what is denied alone", cilium + "{endpointSelector: {}, " + denied + "}", ControlPlane, No},
		{"the world, all of it denied", cilium + "{endpointSelector: {}, egress: [{toEntities: [world]}, {toCIDR: [203.0.113.7/32]}], egressDeny: [{toEntities: [world]}]}", ControlPlane, No},
		{"denied on a port", cilium + "{endpointSelector: {}, egress: [{toEntities: [world]}], egressDeny: [{toEntities: [world], toPorts: [{ports: [{port: '25'}]}]}]}", Open, Yes},
		{"nearly every name", cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchPattern: '*.com'}]}]}", Open, No},
		{"ranges that a group lists", cilium + "{endpointSelector: {}, egress: [{toCIDRSet: [{cidrGroupRef: vpn}]}]}", EgressUnknown, Undecided},
		{"a namespace by its label", cilium + "{endpointSelector: {matchLabels: {'k8s:io.kubernetes.pod.namespace': n}}, egress: [{toFQDNs: [{matchName: a.example}]}]}", AllowList, No},
		{"for the whole cluster", egressPod + "apiVersion: cilium.io/v2\nkind: CiliumClusterwideNetworkPolicy\nmetadata: {name: p}\nspecs: [{endpointSelector: {}, egress: [{toCIDR: [203.0.113.7/32]}]}, {nodeSelector: {}, egress: [{toEntities: [world]}]}]\n", AllowList, No},
		{"whether it is in the host's network is not known", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: '{{ x }}', containers: [{name: m, image: i}]}\n", EgressUnknown, Undecided},
	} {
		e := readCluster(t, tt.text).Workloads[0].Egress
		if e.Level != tt.level || e.Metadata != tt.metadata || len(e.Evidence) == 0 || e.Blocked.Text == "" {
			t.Errorf("%s: %s, metadata %v, want %s, %v (%v; %v)", tt.name, e.Level, e.Metadata, tt.level, tt.metadata, e.Evidence, e.Blocked)
		}
	}
}

// blocks are all ranges of 8 bits from one number to another.
func blocks(first, end int) string {
	var out []string
	for i := first; i < end; i++ {
		out = append(out, fmt.Sprintf("{ipBlock: {cidr: %d.0.0.0/8}}", i))
	}
	return strings.Join(out, ", ")
}

func TestPorts(t *testing.T) {
	for _, tt := range []struct{ list, want string }{
		{"[]", ""}, {"[{port: 443}]", ", on port 443"}, {"[{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]", ", on port 53"},
		{"[{port: https}, {port: 8000, endPort: 8999}]", ", on ports 443, 8000-8999"}, {"[{port: metrics}]", ", on port metrics"},
		{"[{port: 1}, {port: 2}, {port: 3}, {port: 4}]", ", on ports 1, 2, 3, ..."}, {"[{port: 9, endPort: 8}]", ""}, {"[{port: 80}, {protocol: UDP}]", ""},
	} {
		m := readCluster(t, netPolicy+"{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}], ports: "+tt.list+"}]}")
		if got := m.Workloads[0].Egress.Evidence[0].Text; got != "203.0.113.7/32"+tt.want {
			t.Errorf("%s: %q, want %q behind the range", tt.list, got, tt.want)
		}
	}
}

func TestAgentSandboxEgress(t *testing.T) {
	for _, tt := range []struct {
		more  string
		level EgressLevel
	}{
		{"", PublicOnly},
		{", networkPolicyManagement: Unmanaged", Open},
		{", networkPolicy: {egress: []}", ControlPlane},
		{", networkPolicy: {}", ControlPlane},
		{", networkPolicy: {egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}", Open},
	} {
		w := readCluster(t, fmt.Sprintf(sandboxTemplate, tt.more)).Workloads[0]
		if w.Egress.Level != tt.level || !w.Token.False() {
			t.Errorf("%q: %s, token %+v; want %s and no token", tt.more, w.Egress.Level, w.Token, tt.level)
		}
	}
	w := readCluster(t, "apiVersion: agents.x-k8s.io/v1beta1\nkind: Sandbox\nmetadata: {name: s}\nspec: {podTemplate: {spec: {containers: [{name: main, image: i}]}}}\n").Workloads[0]
	if w.Egress.Level != Open || w.Token.False() || w.Token.Given {
		t.Errorf("a sandbox without a template: %s, token %+v; want it as Kubernetes makes a pod", w.Egress.Level, w.Token)
	}
}

func TestComposeEgress(t *testing.T) {
	const peers = "\n  router: {image: router, networks: [inside, outside]}\nnetworks: {inside: {internal: true}, outside: {}, ext: {external: true}, var: {internal: '${INTERNAL}'}, on: {internal: '${INTERNAL:-true}'}}\n"
	for _, tt := range []struct {
		name, service string
		level         EgressLevel
		holes         int
		metadata      Answer
	}{
		{"the default network", "{image: i}", Open, 0, Yes},
		{"none", "{image: i, network_mode: none}", ControlPlane, 0, No},
		{"host", "{image: i, network_mode: host}", Open, 0, Yes},
		{"bridge", "{image: i, network_mode: bridge}", Open, 0, Yes},
		{"that of a service", "{image: i, network_mode: 'service:router'}", Open, 0, Yes},
		{"that of itself", "{image: i, network_mode: 'service:agent'}", EgressUnknown, 0, Undecided},
		{"that of a container", "{image: i, network_mode: 'container:x'}", EgressUnknown, 0, Undecided},
		{"a variable", "{image: i, network_mode: '${MODE}'}", EgressUnknown, 0, Undecided},
		{"internal", "{image: i, networks: [inside]}", ControlPlane, 0, No},
		{"internal by default of a variable", "{image: i, networks: {on: {}}}", ControlPlane, 0, No},
		{"internal or not", "{image: i, networks: [var]}", EgressUnknown, 0, Undecided},
		{"external", "{image: i, networks: [ext]}", EgressUnknown, 0, Undecided},
		{"one of two leads out", "{image: i, networks: [inside, outside]}", Open, 0, Yes},
		{"a proxy", "{image: i, networks: [inside], environment: {HTTPS_PROXY: 'http://router:3128'}}", EgressUnknown, 0, No},
		{"the host", "{image: i, networks: [inside], extra_hosts: ['host.docker.internal:host-gateway']}", ControlPlane, 1, No},
	} {
		m := readProject(t, "-- compose.yaml --\nservices:\n  agent: "+tt.service+peers)
		e := m.find(t, "agent").Egress
		if e.Level != tt.level || len(e.Holes) != tt.holes || e.Metadata != tt.metadata || len(e.Evidence) == 0 {
			t.Errorf("%s: %s, holes %v, metadata %v, want %s, %d, %v (%v)", tt.name, e.Level, e.Holes, e.Metadata, tt.level, tt.holes, tt.metadata, e.Evidence)
		}
	}
}

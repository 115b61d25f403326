package manifest

import (
	"fmt"
	"testing"
)

const (
	egressPod       = "apiVersion: v1\nkind: Pod\nmetadata: {name: agent, namespace: n, labels: {app: agent}}\nspec: {containers: [{name: main, image: i}]}\n---\n"
	policy          = egressPod + "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: n}\nspec: "
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
		{"deny all", policy + "{podSelector: {}, policyTypes: [Egress]}", ControlPlane, 0, No},
		{"egress without policyTypes", policy + "{podSelector: {}, egress: []}", ControlPlane, 0, No},
		{"for ingress only", policy + "{podSelector: {}, ingress: []}", Open, 0, Yes},
		{"policyTypes without Egress", policy + "{podSelector: {}, policyTypes: [Ingress], egress: []}", Open, 0, Yes},
		{"another pod", policy + "{podSelector: {matchLabels: {app: x}}, egress: []}", Open, 0, Yes},
		{"another namespace", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: other}\nspec: {podSelector: {}, egress: []}\n---\n" + egressPod, Open, 0, Yes},
		{"expressions", policy + "{podSelector: {matchExpressions: [{key: app, operator: In, values: [agent]}, {key: x, operator: DoesNotExist}]}, egress: []}", ControlPlane, 0, No},
		{"an operator that is not known", policy + "{podSelector: {matchExpressions: [{key: app, operator: Like}]}, egress: []}", EgressUnknown, 0, Undecided},
		{"a rule for everything", policy + "{podSelector: {}, egress: [{}]}", Open, 0, Yes},
		{"a port to everywhere", policy + "{podSelector: {}, egress: [{ports: [{port: 22}]}]}", Open, 0, No},
		{"all addresses", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}", Open, 0, Yes},
		{"two halves", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/1}}]}]}", Open, 0, Yes},
		{"all but the metadata range", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [169.254.169.254/32]}}]}]}", Open, 0, No},
		{"public addresses", policy + public, PublicOnly, 0, No},
		{"a list", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}]}]}", AllowList, 0, No},
		{"a whole private network", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}", AllowList, 1, No},
		{"the metadata address", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 169.254.169.254/32}}]}]}", AllowList, 0, Yes},
		{"a bad range", policy + "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: nonsense}}]}]}", EgressUnknown, 0, Undecided},
		{"the control plane and DNS", policy + "{podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: cp}}}]}, {to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}]}", ControlPlane, 0, No},
		{"DNS to any server", policy + "{podSelector: {}, egress: [{ports: [{port: 53}]}]}", ControlPlane, 1, No},
		{"every pod of the cluster", policy + "{podSelector: {}, egress: [{to: [{namespaceSelector: {}}]}]}", ControlPlane, 1, No},
		{"every pod of the namespace", policy + "{podSelector: {}, egress: [{to: [{podSelector: {}}]}]}", ControlPlane, 1, No},
		{"rules of two policies", policy + "{podSelector: {}, egress: []}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: n}\nspec: " + public, PublicOnly, 0, No},
		{"names", cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchName: a.example}, {matchPattern: '*.b.example'}]}, {toEndpoints: [{matchLabels: {'k8s:app': dns}}], toPorts: [{ports: [{port: '53'}]}]}]}", AllowList, 0, No},
		{"all names", cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchPattern: '*'}]}]}", Open, 0, No},
		{"the world", cilium + "{endpointSelector: {matchLabels: {'k8s:app': agent}}, egress: [{toEntities: [world]}]}", Open, 0, Yes},
		{"the cluster", cilium + "{endpointSelector: {}, egress: [{toEntities: [cluster]}]}", ControlPlane, 1, No},
		{"no default deny", cilium + "{endpointSelector: {}, enableDefaultDeny: {egress: false}, egress: [{toFQDNs: [{matchName: a}]}]}", Open, 0, Yes},
		{"a section without rules", cilium + "{endpointSelector: {}, egress: []}", ControlPlane, 0, No},
		{"a port of Cilium", cilium + "{endpointSelector: {}, egress: [{toPorts: [{ports: [{port: '443'}]}]}]}", Open, 0, No},
		{"ranges of Cilium", cilium + "{endpointSelector: {}, egress: [{toCIDRSet: [{cidr: 0.0.0.0/0, except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16]}]}]}", PublicOnly, 0, No},
	} {
		e := cluster(t, tt.text).Workloads[0].Egress
		if e.Level != tt.level || len(e.Holes) != tt.holes || e.Metadata != tt.metadata || len(e.Evidence) == 0 {
			t.Errorf("%s: %s, holes %v, metadata %v, want %s, %d, %v (%v)", tt.name, e.Level, e.Holes, e.Metadata, tt.level, tt.holes, tt.metadata, e.Evidence)
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
		w := cluster(t, fmt.Sprintf(sandboxTemplate, tt.more)).Workloads[0]
		if w.Egress.Level != tt.level || !w.Token.False() {
			t.Errorf("%q: %s, token %+v; want %s and no token", tt.more, w.Egress.Level, w.Token, tt.level)
		}
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

package manifest

import (
	"testing"
)

// FuzzManifest reads any text as a compose file and as Kubernetes manifests: it ends,
// it does not panic, and what it finds is in the file.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		"services: {agent: {image: i, ports: ['80:80'], volumes: ['.:/app'], environment: [A=1]}}",
		"services:\n  a: &a {<<: *a}\n",
		"services: {a: {extends: b}, b: {extends: {service: a}}}\ninclude: [x]\n",
		"services: {a: {networks: {n: null}, network_mode: 'service:a', extra_hosts: [x]}}\nnetworks: {n: {internal: '${A:-${B}}'}}\n",
		"services: {a: null, b: [1], c: {environment: {A: [1]}, ports: [{}, [1], null], volumes: [{}, null], build: {}, secrets: [x]}}\n",
		egressPod, netPolicy + public, cilium + "{endpointSelector: {}, egress: [{toFQDNs: [{matchName: a}]}, {toPorts: [{ports: [{port: '53'}]}]}]}",
		"apiVersion: v1\nkind: List\nitems: [{kind: Pod, apiVersion: v1}, 1, null]\n", "--- \n%\n---\n", "a: &a [*a]\n", "? {a: b}\n: c\n", "\ufeffkind: x\napiVersion: \"\\u0000\"\n",
		"apiVersion: v1\nkind: Pod\nspec: {containers: [{name: [1], securityContext: [1], env: [1, {valueFrom: 1}], volumeMounts: [{name: v}]}], volumes: [{name: v, projected: {sources: [1, {serviceAccountToken: }]}}]}\n",
		netPolicy + "{podSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}, egress: [{to: [{ipBlock: {cidr: '::/0', except: [fc00::/7, 'x']}}], ports: [{port: 1, endPort: 99}, {port: dns}]}]}",
		cilium + "{endpointSelector: {}, egress: [{toEntities: [world], toPorts: [{ports: [{port: '80'}]}]}], egressDeny: [{toCIDR: [10.0.0.0/8, ::/0]}]}",
		"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {podSpecPatch: x, templates: [{name: a, container: {image: i}, sidecars: [{}]}, {script: [1]}, 1]}\n",
		"apiVersion: tekton.dev/v1\nkind: Task\nspec: {stepTemplate: [1], steps: [{image: i}, 1, null], sidecars: {}, tasks: [{taskSpec: {steps: [{}]}}]}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}\nspec: {hostUsers: x, containers: [{name: a}], ephemeralContainers: [1, {}]}\n",
		"apiVersion: extensions.agents.x-k8s.io/v1\nkind: SandboxClaim\nspec: {sandboxTemplateRef: {name: [1]}}\n", "\xff\xfea\x00", "0: \"0\r", "a: b\x85c: d\r\re: f\u2028",
	} {
		f.Add([]byte(seed))
	}
	opt := options()
	opt.Limits.YAMLValues, opt.Limits.YAMLDepth, opt.Limits.YAMLDocuments = 5_000, 50, 50
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := len(textLines(text))
		check := func(m *Manifest, err error) {
			if err != nil {
				return
			}
			for _, w := range m.Workloads {
				if w.At.Line < 0 || w.At.Line > lines || len(w.Egress.Evidence) == 0 {
					t.Errorf("%s at %+v, egress %+v, in %d lines", w, w.At, w.Egress, lines)
				}
			}
			for _, p := range m.Problems {
				if p.At.Line > lines || p.What == "" {
					t.Errorf("problem %+v in %d lines", p, lines)
				}
			}
		}
		check(ReadComposeText("f", text, opt))
		check(ReadKubernetes([]File{{"f", text}}, opt))
		_ = Looks(text, opt.Limits)
	})
}

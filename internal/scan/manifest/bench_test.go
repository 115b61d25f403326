package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// many is a cluster of n deployments, each with a policy of its own and one that all
// have.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `apiVersion: apps/v1
kind: Deployment
metadata: {name: agent-%[1]d, namespace: agents}
spec:
  template:
    metadata: {labels: {app: agent, id: n%[1]d}}
    spec:
      volumes: [{name: tmp, emptyDir: {}}]
      containers:
        - name: main
          image: registry.example/agent:1
          env: [{name: A, value: b}]
          volumeMounts: [{name: tmp, mountPath: /tmp}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: own-%[1]d, namespace: agents}
spec:
  podSelector: {matchLabels: {id: n%[1]d}}
  policyTypes: [Egress]
  egress: [{to: [{ipBlock: {cidr: 203.0.113.7/32}}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: all-%[1]d, namespace: agents}
spec:
  podSelector: {}
  egress: [{to: [{podSelector: {matchLabels: {app: x%[1]d}}}], ports: [{port: 443}]}]
---
`, i)
	}
	return b.String()
}

// BenchmarkCluster reads 900 workloads, each of which every one of 900 policies selects.
func BenchmarkCluster(b *testing.B) {
	text := []byte(many(900))
	opt := options()
	opt.Limits.YAMLDocuments = 5_000
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		m, err := ReadKubernetes([]File{{"m.yaml", text}}, opt)
		if err != nil || len(m.Workloads) != 900 || len(m.Problems) > 0 {
			b.Fatal(err, len(m.Workloads))
		}
	}
}

// BenchmarkLine reads a document that stands in one line, as programs write JSON.
func BenchmarkLine(b *testing.B) {
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"agent"},"spec":{"containers":[{"name":"main","image":"é"}]}}`
	text := []byte(`{"apiVersion":"v1","kind":"List","items":[` + strings.TrimSuffix(strings.Repeat(pod+",", 900), ",") + `]}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if m, err := ReadKubernetes([]File{{"m.json", text}}, options()); err != nil || len(m.Workloads) != 900 {
			b.Fatal(err)
		}
	}
}

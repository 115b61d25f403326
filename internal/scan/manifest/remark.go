package manifest

import (
	"fmt"
	"strings"
)

// remarks are what is worth saying of an object and changes no judgement: fields that
// nobody reads, and what is not judged.
func (o *object) remarks() []Problem {
	var out []Problem
	for _, p := range o.podSpecs() {
		out = append(out, p.remarks()...)
	}
	switch {
	case o.isNetworkPolicy():
		out = append(out, unknownFields(o.root.get("spec"), "a NetworkPolicy", policyFields)...)
	case o.isForeignPolicy():
		out = append(out, o.unjudged("it may let out more or less than the network policies that are"))
	case o.group == "networking.istio.io" && (o.kind == "Sidecar" || o.kind == "ServiceEntry"):
		out = append(out, o.unjudged("a mesh sees only what goes through its proxy, which a process can go around"))
	}
	return out
}

func (o *object) unjudged(why string) Problem {
	return Problem{At: o.root.get("kind").where(), What: fmt.Sprintf("%s of %s is not judged: %s", o, o.group, why)}
}

// remarks are those on a pod spec.
func (p podSpec) remarks() []Problem {
	var out []Problem
	if !p.loose {
		out = append(out, unknownFields(p.spec, "a pod spec", podFields)...)
	}
	out = append(out, unknownFields(p.spec.get("securityContext"), "the securityContext of a pod", podSecurityFields)...)
	for _, list := range containerLists {
		for _, c := range p.spec.get(list).list() {
			if !p.loose {
				out = append(out, unknownFields(c, "a container", containerFields)...)
			}
			out = append(out, unknownFields(c.get("securityContext"), "the securityContext of a container", securityFields)...)
		}
	}
	for _, a := range p.meta.get("annotations").pairs() {
		if strings.HasPrefix(a.name, "seccomp.security.alpha.kubernetes.io/") || strings.HasPrefix(a.name, "container.seccomp.security.alpha.kubernetes.io/") {
			out = append(out, Problem{At: a.value.at, What: a.name + " sets nothing since Kubernetes 1.27", Hint: "write it as securityContext.seccompProfile"})
		}
	}
	return out
}

// kustomizations say how manifests are made. Beside manifests that is a remark, as they
// are judged; alone it leaves nothing to judge.
func kustomizations(recipes []*value, beside bool) []Problem {
	var out []Problem
	for _, v := range recipes {
		p := Problem{At: v.get("kind").at, Fatal: !beside, What: "a kustomization says how to make manifests, and is none",
			Hint: "audit what it makes: kubectl kustomize DIR | sandbox-audit --from manifest -"}
		if beside {
			p.What = "a kustomization may change the manifests, which are judged as they stand"
		}
		out = append(out, p)
	}
	return out
}

// claims are the sandboxes that an object asks for from a template of agent-sandbox
// which is not among the objects, by what names it.
func (c *cluster) claims(o *object) []Problem {
	if !o.agentSandbox() {
		return nil
	}
	ref := first(o.root.get("spec", "sandboxTemplateRef"), o.root.get("spec", "templateRef"))
	name := ref.get("name")
	if name == nil || c.templates[name.str()] {
		return nil
	}
	return []Problem{{At: name.at, Fatal: true,
		What: fmt.Sprintf("%s runs the template %s, which is not among the manifests", o, brief(name.str())), Hint: "give the file with the SandboxTemplate too"}}
}

// What is told of a manifest at most.
const (
	maxUnread = 20
	maxTold   = 500
)

// told keeps the first of what could not be understood and of the remarks, and says how
// many there are more.
func told(all []Problem) []Problem {
	var out []Problem
	var unread, remarks int
	for _, p := range all {
		if p.Fatal {
			unread++
		} else {
			remarks++
		}
		if p.Fatal && unread <= maxUnread || !p.Fatal && remarks <= maxTold {
			out = append(out, p)
		}
	}
	if n := unread - maxUnread; n > 0 {
		out = append(out, Problem{What: fmt.Sprintf("%d more parts of the manifests can't be read", n), Fatal: true})
	}
	if n := remarks - maxTold; n > 0 {
		out = append(out, Problem{What: fmt.Sprintf("%d more remarks on the manifests are left out", n)})
	}
	return out
}

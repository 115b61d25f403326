package manifest

import (
	"fmt"
	"path"
	"slices"
)

// extended resolves the extends of the services of a document.
func (p *project) extended(doc *value, name string, in scope) *value {
	services := doc.get("services")
	if !services.given() {
		return doc
	}
	out := *services
	out.fields = nil
	for _, s := range services.pairs() {
		out.fields = append(out.fields, field{s.name, p.extend(s.name, services, name, in, nil)})
	}
	return doc.with("services", &out)
}

// maxExtends is how many services may extend each other in a row.
const maxExtends = 32

// extend is a service over those it extends. The file of one of them is relative to the
// folder of the file that names it, and has the variables of the project.
func (p *project) extend(service string, services *value, name string, in scope, seen []string) *value {
	s := services.get(service)
	ext := s.get("extends")
	if !ext.given() {
		return s
	}
	own := s.with("extends", nil)
	id := name + ":" + service
	if slices.Contains(seen, id) || len(seen) == maxExtends {
		p.problems = append(p.problems, Problem{At: ext.at, What: "services extend each other in a circle", Fatal: true})
		return own
	}
	if file := ext.get("file"); file.given() {
		other, ok := p.local(file, in.dir, "extended")
		if !ok {
			return own
		}
		g, err := p.load(other, in.env)
		if err != nil {
			p.lost(file.at, "the file that is extended", err)
			return own
		}
		if !IsCompose(other) {
			p.parts = append(p.parts, p.shown(other))
		}
		name, in.dir, services = other, path.Dir(other), &value{kind: mapping}
		for _, d := range g.docs {
			services = p.merge(services, orEmpty(d.get("services")), "services")
		}
	}
	ref := ext.get("service").str()
	if !services.get(ref).given() {
		p.problems = append(p.problems, Problem{At: ext.at, What: fmt.Sprintf("there is no service %s to extend", ref), Fatal: true})
		return own
	}
	return p.merge(p.extend(ref, services, name, in, append(seen, id)), own, "services.*")
}

func orEmpty(v *value) *value {
	if v.given() && v.kind == mapping {
		return v
	}
	return &value{kind: mapping}
}

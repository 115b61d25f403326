package manifest

import (
	"fmt"
	"slices"
)

// extended resolves the extends of the services of a document.
func (p *project) extended(doc *value, name string, f *composeFile, env map[string]string) *value {
	services := doc.get("services")
	if !services.given() {
		return doc
	}
	out := *services
	out.fields = nil
	for _, s := range services.pairs() {
		out.fields = append(out.fields, field{s.name, p.extend(s.name, services, name, f, env, nil)})
	}
	return doc.with("services", &out)
}

// maxExtends is how many services may extend each other in a row.
const maxExtends = 32

func (p *project) extend(service string, services *value, name string, f *composeFile, env map[string]string, seen []string) *value {
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
	ref := ext.get("service").str()
	if ext.kind == scalar {
		ref = ext.str()
	}
	if file := ext.get("file"); file.given() {
		other, ok := p.local(file, f.dir, "extended")
		if !ok {
			return own
		}
		g, err := p.load(other, env)
		if err != nil {
			p.lost(file.at, "the file that is extended", err)
			return own
		}
		name, f, services = other, g, &value{kind: mapping}
		for _, d := range g.docs {
			services = merge(services, orEmpty(d.get("services")), "services")
		}
	}
	if !services.get(ref).given() {
		p.problems = append(p.problems, Problem{At: ext.at, What: fmt.Sprintf("there is no service %s to extend", ref), Fatal: true})
		return own
	}
	return merge(p.extend(ref, services, name, f, env, append(seen, id)), own, "services.*")
}

func orEmpty(v *value) *value {
	if v.given() && v.kind == mapping {
		return v
	}
	return &value{kind: mapping}
}

package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A graph is who shares a network with whom in a compose project.
type graph struct {
	model    *value
	services map[string]*Workload
	networks map[string][]string // the networks of each service, in order
}

func newGraph(model *value, all []*Workload) *graph {
	g := &graph{model: model, services: map[string]*Workload{}, networks: map[string][]string{}}
	for _, w := range all {
		g.services[w.Name] = w
		s := model.get("services", w.Name)
		if s.get("network_mode").given() {
			continue
		}
		for _, n := range s.get("networks").pairs() {
			g.networks[w.Name] = append(g.networks[w.Name], n.name)
		}
		if g.networks[w.Name] == nil {
			g.networks[w.Name] = []string{"default"}
		}
	}
	return g
}

// egress is where a service can send: by its mode, or by the networks it is in.
func (g *graph) egress(name string, seen []string) Egress {
	s := g.model.get("services", name)
	mode := s.get("network_mode")
	text, other := mode.str(), ""
	if o, ok := strings.CutPrefix(text, "service:"); ok {
		other = o
	}
	lost := func(why string) Egress {
		r := Reason{At: mode.at, Text: why}
		return Egress{Evidence: []Reason{r}, Blocked: r}
	}
	var e Egress
	switch {
	case !mode.given():
		e = g.byNetworks(name)
	case mode.unknown != "":
		return lost("its network_mode is not known: " + mode.unknown)
	case text == "none":
		r := Reason{At: mode.at, Text: "it has no network"}
		e = Egress{Level: ControlPlane, Evidence: []Reason{r}, Metadata: No, Blocked: r}
	case text == "host":
		r := Reason{At: mode.at, Text: "it shares the network of the host"}
		return Egress{Level: Open, Evidence: []Reason{r}, Metadata: Yes, Blocked: r}
	case other != "" && g.services[other] != nil && !slices.Contains(seen, other):
		e = g.egress(other, append(seen, name))
		e.Evidence = append([]Reason{{At: mode.at, Text: "it shares the network of service " + other}}, e.Evidence...)
	case text == "bridge" || text == "default":
		r := Reason{At: mode.at, Text: "it is in the default bridge network, which leads anywhere"}
		e = Egress{Level: Open, Evidence: []Reason{r}, Metadata: Yes, Blocked: r}
	default:
		return lost(fmt.Sprintf("where network_mode %s leads is not in the file", text))
	}
	e.Holes = append(e.Holes, gateways(s)...)
	return e
}

// hostNetwork is the network of the host that a service has from another whose network
// it shares.
func (g *graph) hostNetwork(w *Workload) []Setting {
	own := g.model.get("services", w.Name, "network_mode")
	mode := own
	for range len(g.services) {
		other, ok := strings.CutPrefix(mode.str(), "service:")
		if !ok {
			break
		}
		mode = g.model.get("services", other, "network_mode")
	}
	if mode == own || mode.str() != "host" {
		return nil
	}
	return []Setting{own.setting(w.At).as("network")}
}

// gateways are the names that lead to the host.
func gateways(s *value) []Reason {
	var out []Reason
	for _, h := range s.get("extra_hosts").pairs() {
		if strings.Contains(h.value.str(), "host-gateway") {
			out = append(out, Reason{At: h.value.at, Text: h.name + " leads to the host: host-gateway"})
		}
	}
	return out
}

// byNetworks is the egress of a service by its networks: one that leads outside is
// enough.
func (g *graph) byNetworks(name string) Egress {
	var unknown, inside []Reason
	for _, n := range g.networks[name] {
		def := g.model.get("networks", n)
		at := g.at(name, n)
		internal := def.get("internal")
		switch set := internal.setting(at); {
		case set.True():
			inside = append(inside, Reason{At: internal.at, Text: fmt.Sprintf("network %s is internal", n)})
		case set.Unknown != "":
			unknown = append(unknown, Reason{At: internal.at, Text: fmt.Sprintf("whether network %s is internal is not known: %s", n, set.Unknown)})
		case def.get("external").given() && !def.get("external").setting(at).False():
			unknown = append(unknown, Reason{At: def.at, Text: fmt.Sprintf("network %s is external: whether it leads outside is not in the file", n)})
		case def.get("driver").str() == "none":
			inside = append(inside, Reason{At: def.at, Text: fmt.Sprintf("network %s leads nowhere", n)})
		default:
			r := Reason{At: at, Text: fmt.Sprintf("network %s leads anywhere: it is not internal", n)}
			return Egress{Level: Open, Evidence: []Reason{r}, Metadata: Yes, Blocked: r}
		}
	}
	if len(unknown) > 0 {
		return Egress{Evidence: unknown, Blocked: unknown[0]}
	}
	e := Egress{Level: ControlPlane, Evidence: inside, Metadata: No, Blocked: inside[0]}
	g.throughPeers(name, &e)
	return e
}

// at is where a service names a network; the service where it names none.
func (g *graph) at(service, network string) Place {
	if v := g.model.get("services", service, "networks", network); v != nil && v.at.Line > 0 {
		return v.at
	}
	return g.services[service].At
}

// throughPeers says who else is in the networks of a service. A proxy makes an
// allow-list, whose content is for its own configuration.
func (g *graph) throughPeers(name string, e *Egress) {
	proxies := g.proxies(name)
	var peers []string
	for _, other := range slices.Sorted(maps.Keys(g.networks)) {
		shared := slices.ContainsFunc(g.networks[other], func(n string) bool { return slices.Contains(g.networks[name], n) })
		if other == name || !shared {
			continue
		}
		if g.isProxy(other, proxies) && g.leadsOut(other) {
			e.Level = EgressUnknown
			e.Evidence = append(e.Evidence, Reason{At: g.services[other].At, Text: fmt.Sprintf("service %s is a proxy that leads outside: what it lets through is for its own configuration", other)})
			continue
		}
		peers = append(peers, other)
	}
	if len(peers) > 0 {
		e.Evidence = append(e.Evidence, Reason{At: g.services[name].At, Text: "only " + strings.Join(peers, ", ") + " can be reached"})
	}
}

// proxies are the names of hosts that the environment of a service names as proxies.
func (g *graph) proxies(name string) []string {
	var out []string
	for _, v := range g.services[name].Containers[0].Env {
		switch strings.ToLower(v.Name) {
		case "http_proxy", "https_proxy", "all_proxy":
			_, host, found := strings.Cut(v.Raw, "://")
			if !found {
				host = v.Raw
			}
			host = host[strings.LastIndexByte(host, '@')+1:]
			host, _, _ = strings.Cut(host, ":")
			out = append(out, strings.TrimRight(host, "/"))
		}
	}
	return out
}

func (g *graph) isProxy(name string, proxies []string) bool {
	if slices.Contains(proxies, name) {
		return true
	}
	c := g.services[name].Containers[0]
	for _, p := range []string{"squid", "tinyproxy", "mitmproxy", "smokescreen", "privoxy", "3proxy", "egress-proxy", "forward-proxy"} {
		if strings.Contains(strings.ToLower(name), p) || strings.Contains(strings.ToLower(c.Image.Value), p) {
			return true
		}
	}
	return false
}

func (g *graph) leadsOut(name string) bool {
	return slices.ContainsFunc(g.networks[name], func(n string) bool {
		return !g.model.get("networks", n, "internal").setting(Place{}).True()
	})
}

package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

var _ = register(&scan.Rule{
	ID: "SBX408", Name: "network-tampering", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{923, 1327},
	Title: "the image sends names or connections elsewhere, or leaves its own firewall open",
	Many:  "%d things here send connections elsewhere or leave them open",
	Each:  true,
	Where: scan.InImage,
	Needs: []scan.Need{packages.Fact, python.Fact, network.Settings, network.Hosts, network.Resolvers, network.Anchors, network.Stores, network.Firewalls},
	Run: func(p *scan.Pass) {
		t := tampering{Pass: p, owners: packages.Fact.Of(p)}
		t.names()
		t.proxies()
		t.anchors()
		t.firewalls()
		switch {
		case t.found:
		case p.Image.NoConfig:
			p.Unknownf(scan.Location{}, "a directory has no config that says which proxies and authorities the environment names; give the image")
		default:
			p.Shownf(scan.Location{}, "the image redirects no names, names no proxy, trusts no authority of its own, and no firewall script of it has a hole")
		}
	},
})

// tampering looks for what changes where connections go.
type tampering struct {
	*scan.Pass
	owners *packages.Owners
	found  bool
}

func (t *tampering) report(at scan.Location, format string, args ...any) *scan.Finding {
	t.found = true
	return t.Reportf(at, format, args...)
}

func (t *tampering) line(f *image.File, line int) scan.Location {
	at := t.At(f)
	at.Line = line
	return at
}

const ownFiles = "Docker and Kubernetes put a file of their own in its place; runtimes that boot the image's own file system do not"

// names reports names and lookups that are sent elsewhere. The tools that make a
// distribution's base leave a resolver of theirs in the first layer, which nobody
// meant.
func (t *tampering) names() {
	for f, list := range network.Hosts.Facts(t.Image) {
		for _, r := range list {
			if !f.Buried() {
				t.report(t.line(f, r.Line), "%s sends %s to %s, whatever DNS says", f.Path, r.Name, r.To).Notef(scan.Location{}, ownFiles)
			}
		}
	}
	for f, list := range network.Resolvers.Facts(t.Image) {
		for _, r := range list {
			if !f.Buried() && f.Layer.Index > 0 {
				t.report(t.line(f, r.Line), "%s sends every lookup to %s, outside of the sandbox's network: DNS is a way out", f.Path, r.To).Notef(scan.Location{}, ownFiles)
			}
		}
	}
}

// proxies reports the proxies that the environment and the configuration files name.
func (t *tampering) proxies() {
	for _, kv := range t.Image.Config.Env {
		name, value, _ := strings.Cut(kv, "=")
		if host := network.ProxyVariable(name, value); host != "" {
			t.report(t.AtField("Env."+name), "%s sends the connections of every process through %s, in every container", name, host)
		}
	}
	settings(t.Pass, network.Proxy, func(at scan.Location, file string, s network.Setting) {
		t.report(at, "%s in %s sends the connections of %s through %s, in every container", s.Name, file, network.Tool(file), s.Host)
	})
}

// authorityVariables name the authorities that programs trust.
var authorityVariables = []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "AWS_CA_BUNDLE"}

// stores are where distributions and language packages keep the authorities that
// everybody trusts.
var stores = regexp.MustCompile(`^/etc/(ssl|pki|ca-certificates)(/|$)|^/(usr/lib|usr/share|nix)/|/certifi/cacert\.pem$|^/opt/\w*conda\w*/|/ssl/(cert|cacert)\.pem$`)

// anchors reports authorities that are trusted and that no distribution ships.
func (t *tampering) anchors() {
	for _, name := range authorityVariables {
		if v, ok := t.Image.Config.Getenv(name); ok && strings.HasPrefix(v, "/") && !stores.MatchString(v) {
			t.report(t.AtField("Env."+name), "%s makes programs trust the authorities of %s: whoever has their keys can pose as every server", name, v)
		}
	}
	known, ships := map[string]bool{}, false
	for f, list := range network.Anchors.Facts(t.Image) {
		if network.IsStore(f.Path) {
			continue
		}
		for _, a := range list {
			known[a.ID] = true
		}
		_, owned := t.owners.OfFile(f)
		ships = ships || owned && !network.Added(f.Path)
		if !f.Buried() && !owned && !t.owners.MayOwn(f.Path) {
			t.report(t.At(f), "%s makes every program trust %s: whoever has its key can pose as every server", f.Path, authority(list))
		}
	}
	for f, list := range network.Anchors.Facts(t.Image) {
		if extra := beyond(list, known); network.IsStore(f.Path) && !f.Buried() && ships && len(extra) > 0 {
			t.report(t.At(f), "%s makes every program trust %s, which no file that it is made of holds: whoever has its key can pose as every server", f.Path, authority(extra))
		}
	}
	t.stores(known)
}

// stores reports authorities that were added to the stores of single programs: to one
// that has none by itself, or by a layer that changed what one below it had.
func (t *tampering) stores(known map[string]bool) {
	before := map[string][]network.Anchor{}
	for f, list := range network.Stores.Facts(t.Image) {
		was, changed := before[f.Path]
		before[f.Path] = list
		if _, owned := t.owners.OfFile(f); f.Buried() || owned && network.IsNSS(f.Path) || !network.IsNSS(f.Path) && (!changed || t.installed(f)) {
			continue
		}
		had := maps.Clone(known)
		for _, a := range was {
			had[a.ID] = true
		}
		if extra := beyond(list, had); len(extra) > 0 {
			t.report(t.At(f), "%s makes the programs that use it trust %s: whoever has its key can pose as every server", f.Path, authority(extra))
		}
	}
}

// installed reports whether the layer of a store brings the program whose it is.
func (t *tampering) installed(store *image.File) bool {
	return slices.ContainsFunc(network.ShippedWith(store.Path), func(p string) bool {
		f := t.Image.Lookup(p)
		return f != nil && f.Layer == store.Layer
	})
}

// beyond are the authorities that are not known.
func beyond(list []network.Anchor, known map[string]bool) []network.Anchor {
	return slices.DeleteFunc(slices.Clone(list), func(a network.Anchor) bool { return known[a.ID] })
}

// authority names authorities.
func authority(list []network.Anchor) string {
	if len(list) == 1 && list[0].Name != "" {
		return fmt.Sprintf("the authority %q", list[0].Name)
	}
	return fmt.Sprintf("%d authorities that the distribution does not ship", len(list))
}

// firewalls reports the holes of the image's own firewall scripts.
func (t *tampering) firewalls() {
	origins := network.Origins{Owners: t.owners, Inventory: python.Fact.Of(t.Pass)}
	for f, wall := range network.Firewalls.Facts(t.Image) {
		if !origins.Own(f) {
			continue
		}
		for _, h := range wall.Holes {
			t.report(t.line(f, h.Line), "the firewall of %s lets out %s: what leaves that way needs no other hole", f.Path, h.To)
		}
		if len(wall.Holes) > 0 {
			continue
		}
		but := ""
		if wall.OnlyIPv4 {
			but = "; it does not close IPv6"
		}
		t.Shownf(t.At(f), "every rule of the firewall in %s that lets something out says where to%s", f.Path, but)
	}
}

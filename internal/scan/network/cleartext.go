package network

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Clear is a URL of an interface that is called without encryption.
type Clear struct {
	Line int
	Name string // of the setting
	Host string
}

// Cleartext is the host of a URL that is not encrypted, if a setting of that name
// holds the address of a control plane or an interface; else empty. session are the
// names that count whatever they look like, as a host does that is called a control
// plane. This machine, addresses that only a link
// has, and hosts that stand for others do not count.
func Cleartext(name, value string, session []string) string {
	rest, ok := cutScheme(unlessSet.ReplaceAllString(strings.TrimSpace(value), "$1"))
	if !ok || identifier.MatchString(rest) {
		return ""
	}
	host := Host("http://" + rest)
	called := slices.Contains(session, name) || isInterface(name) || plane.MatchString(host) && !leadsElsewhere(name)
	if host == "" || quietHost(host) || !called {
		return ""
	}
	return host
}

// identifier are paths of URLs that name a vocabulary, and that nobody calls.
var identifier = regexp.MustCompile(`(?i)/(schemas?|ns|xmlns|dtd)(/|#|$)|\.(xsd|dtd)$`)

// plane is a host that is called a control plane.
var plane = regexp.MustCompile(`(?i)(^|[.-])control-?plane([.:-]|$)`)

// unlessSet is a variable with what stands for it if it is not set.
var unlessSet = regexp.MustCompile(`^\$\{\w+:?-(.*)\}$`)

// cutScheme takes the scheme off a URL that is not encrypted.
func cutScheme(value string) (rest string, ok bool) {
	for _, scheme := range []string{"http://", "ws://", "grpc://"} {
		if len(value) > len(scheme) && strings.EqualFold(value[:len(scheme)], scheme) {
			return value[len(scheme):], true
		}
	}
	return "", false
}

// quietHost reports whether nobody else can listen in, or the host stands for
// another. 169.254.0.0/16 holds the metadata services of clouds, which speak nothing
// else.
func quietHost(host string) bool {
	h := hostOf(host)
	return h == "unix" || Loopback(h) || Everywhere(h) || sample.MatchString(h) || strings.HasPrefix(h, "169.254.") || strings.HasPrefix(h, "fe80:")
}

var (
	segments  = regexp.MustCompile(`[A-Z]+(?:[a-z0-9]+)?|[a-z0-9]+`)
	addresses = []string{"url", "uri", "endpoint", "base", "host", "addr", "address", "server", "api", "origin", "plane"}
	services  = []string{"api", "plane", "controlplane", "gateway", "backend", "callback", "webhook", "orchestrator", "coordinator", "mcp", "auth", "llm", "openai", "anthropic", "agent", "inference", "server", "service", "endpoint"}
	elsewhere = []string{"proxy", "doc", "docs", "help", "homepage", "website", "schema", "mirror", "index", "repo", "repository", "registry", "download", "dist", "source", "src", "license", "keyserver", "namespace", "xmlns", "bug", "report", "issue", "issues", "support", "ns", "id"}
)

// isInterface reports whether a name is that of the address of an interface:
// "API_URL", "controlPlaneUrl", "--gateway-endpoint".
func isInterface(name string) bool {
	if leadsElsewhere(name) {
		return false
	}
	var last string
	service := false
	for _, w := range segments.FindAllString(name, -1) {
		w = strings.ToLower(w)
		service = service || slices.Contains(services, w)
		last = w
	}
	return service && slices.Contains(addresses, last)
}

// leadsElsewhere reports whether a name says that an address is not called as an
// interface.
func leadsElsewhere(name string) bool {
	return slices.ContainsFunc(segments.FindAllString(name, -1), func(w string) bool { return slices.Contains(elsewhere, strings.ToLower(w)) })
}

// ClearURLs are the URLs that the settings and sources of an application hold.
var ClearURLs = &image.Probe[[]Clear]{
	Name: "cleartext-urls", Version: 2,
	Want: func(e image.Entry) bool {
		return e.Size <= 256<<10 && (slices.Contains(applications, path.Ext(e.Path)) || strings.HasPrefix(path.Base(e.Path), ".env")) && !borrowed.MatchString(e.Path)
	},
	Needles: []string{"http://", "ws://"},
	Read: func(e image.Entry, b []byte) ([]Clear, bool) {
		if path.Ext(e.Path) == ".pyc" {
			found := clearInBytecode(b)
			return found, len(found) > 0
		}
		if bytes.IndexByte(b, 0) >= 0 || len(b) > 0 && bytes.Count(b, []byte("\n"))*1000 < len(b)-1000 {
			return nil, false // no text, or one that a tool wrote
		}
		var out []Clear
		n := 0
		for line := range strings.Lines(string(b)) {
			n++
			if !strings.Contains(line, "http://") && !strings.Contains(line, "ws://") {
				continue
			}
			if out = append(out, clearIn(line, n)...); len(out) >= maxSettings {
				break
			}
		}
		return out, len(out) > 0
	},
}

// applications are the extensions of files that hold an application's settings.
var applications = []string{".env", ".py", ".pyc", ".sh", ".js", ".mjs", ".cjs", ".ts", ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".properties", ".service"}

// The forms of lines that give a name a URL: settings, annotated attributes and their
// fields' defaults, and what stands for a variable that is not set. The last one is a
// URL by itself.
var forms = []*regexp.Regexp{
	regexp.MustCompile(`([A-Za-z_][\w.-]*)["']?\]?\s*(?::=|[:=])\s*["']?((?:http|ws)://[^\s"'<>,;)\]}]+)`),
	regexp.MustCompile(`([A-Za-z_]\w*)\s*(?::[\s\w.\[\]|,]+)?=\s*(?:[\w.]+\(\s*(?:default\s*=\s*)?)?["']((?:http|ws)://[^\s"']+)`),
	regexp.MustCompile(`(?:environ\.get|getenv|\benv|config)\(\s*["'](\w+)["']\s*,\s*(?:default\s*=\s*)?["']((?:http|ws)://[^\s"']+)`),
	regexp.MustCompile(`\$\{([A-Za-z_]\w*):?[-=]["']?((?:http|ws)://[^\s"'}]+)`),
	regexp.MustCompile(`process\.env\.(\w+)\s*(?:\|\||\?\?)\s*["'\x60]((?:http|ws)://[^\s"'\x60]+)`),
	regexp.MustCompile(`()((?:http|ws)://[^\s"'<>,;)\]}\x60]+)`),
}

func clearIn(line string, n int) []Clear {
	text := strings.TrimSpace(line)
	if text == "" || remark.MatchString(text) {
		return nil
	}
	var out []Clear
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(text, 8) {
			out = addClear(out, n, m[1], m[2])
		}
	}
	return out
}

// addClear adds a URL that is called under a name, or under none, unless its host is
// known from the same line.
func addClear(out []Clear, line int, name, value string) []Clear {
	host := Cleartext(name, value, everyName(name))
	if host == "" || slices.ContainsFunc(out, func(c Clear) bool { return c.Line == line && c.Host == host }) {
		return out
	}
	if !isInterface(name) && everyName(name) == nil {
		name = "a URL here"
	}
	return append(out, Clear{line, name, host})
}

// everyName keeps what is called like the article's variable, as a probe does not
// know the names that a user gives.
func everyName(name string) []string {
	if strings.EqualFold(name, "CONTROL_PLANE_URL") {
		return []string{name}
	}
	return nil
}

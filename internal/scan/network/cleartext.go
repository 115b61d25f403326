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
// names that count whatever they look like. This machine, addresses that only a link
// has, and hosts that stand for others do not count.
func Cleartext(name, value string, session []string) string {
	if !slices.Contains(session, name) && !isInterface(name) {
		return ""
	}
	rest, ok := cutScheme(unlessSet.ReplaceAllString(strings.TrimSpace(value), "$1"))
	if !ok {
		return ""
	}
	host := Host("http://" + rest)
	if host == "" || quietHost(host) {
		return ""
	}
	return host
}

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
	return Loopback(h) || Everywhere(h) || sample.MatchString(h) || strings.HasPrefix(h, "169.254.") || strings.HasPrefix(h, "fe80:")
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
	var last string
	service := false
	for _, w := range segments.FindAllString(name, -1) {
		w = strings.ToLower(w)
		if slices.Contains(elsewhere, w) {
			return false
		}
		service = service || slices.Contains(services, w)
		last = w
	}
	return service && slices.Contains(addresses, last)
}

// ClearURLs are the URLs that the settings and sources of an application hold.
var ClearURLs = &image.Probe[[]Clear]{
	Name: "cleartext-urls", Version: 1,
	Want: func(e image.Entry) bool {
		return e.Size <= 256<<10 && (slices.Contains(applications, path.Ext(e.Path)) || strings.HasPrefix(path.Base(e.Path), ".env")) && !borrowed.MatchString(e.Path)
	},
	Needles: []string{"http://", "ws://"},
	Read: func(e image.Entry, b []byte) ([]Clear, bool) {
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
var applications = []string{".env", ".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".properties", ".service"}

var (
	assigned = regexp.MustCompile(`([A-Za-z_][\w.-]*)["']?\]?\s*(?::=|[:=])\s*["']?((?:http|ws)://[^\s"'<>,;)\]}]+)`)
	fallback = regexp.MustCompile(`(?:environ\.get|getenv)\(\s*["'](\w+)["']\s*,\s*["']((?:http|ws)://[^\s"']+)`)
	byShell  = regexp.MustCompile(`\$\{([A-Za-z_]\w*):?[-=]["']?((?:http|ws)://[^\s"'}]+)`)
	byNode   = regexp.MustCompile(`process\.env\.(\w+)\s*(?:\|\||\?\?)\s*["'\x60]((?:http|ws)://[^\s"'\x60]+)`)
)

func clearIn(line string, n int) []Clear {
	text := strings.TrimSpace(line)
	if text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, ";") || strings.HasPrefix(text, "*") {
		return nil
	}
	var out []Clear
	for _, form := range []*regexp.Regexp{assigned, fallback, byShell, byNode} {
		for _, m := range form.FindAllStringSubmatch(text, 8) {
			if host := Cleartext(m[1], m[2], everyName(m[1])); host != "" && !slices.ContainsFunc(out, func(c Clear) bool { return c.Host == host }) {
				out = append(out, Clear{n, m[1], host})
			}
		}
	}
	return out
}

// everyName keeps what is called like the article's variable, as a probe does not
// know the names that a user gives.
func everyName(name string) []string {
	if strings.EqualFold(name, "CONTROL_PLANE_URL") {
		return []string{name}
	}
	return nil
}

package network

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A Setting is a line of a configuration file that matters to the network.
type Setting struct {
	Kind Kind
	Line int    // 1-based
	Name string // as it may be shown: "http.sslVerify = false"
	Host string // of a Proxy
}

// Kind is what a setting does.
type Kind uint8

// The kinds of settings.
const (
	Unverified Kind = iota + 1 // certificates are not verified
	Unsigned                   // packages are installed whose signature is not
	Proxy                      // connections go through another host
)

// Settings are those of the configuration files of fetching tools.
var Settings = &image.Probe[[]Setting]{
	Name: "network-settings", Version: 1,
	Want: func(e image.Entry) bool { return formatOf(e.Path) != nil && e.Size <= 256<<10 },
	Read: func(e image.Entry, b []byte) ([]Setting, bool) {
		found := SettingsIn(e.Path, string(b))
		return found, len(found) > 0
	},
}

// SettingsIn are those of a file that is known by its text.
func SettingsIn(p, text string) []Setting {
	r := reader{format: formatOf(p)}
	if r.format == nil {
		return nil
	}
	r.read(text)
	return r.found
}

// A format is how one tool writes its settings.
type format struct {
	files *regexp.Regexp
	rules []rule
	// comment is what starts one; a line may hold none behind its setting unless it
	// stands after a blank.
	comment string
	// whole means that rules see the text of lines, not "section.name = value".
	whole bool
}

// A rule is a setting by its form.
type rule struct {
	kind  Kind
	match *regexp.Regexp
	show  string // what may be shown of it; $1 and so on are not values that could hold a login
	host  int    // the group that holds a host or URL; 0 if none
}

func when(kind Kind, pattern, show string) rule {
	return rule{kind, regexp.MustCompile(`(?i)^` + pattern), show, 0}
}

// behind is a rule on a setting whose value is a host or URL.
func behind(kind Kind, pattern, show string) rule {
	return rule{kind, regexp.MustCompile(`(?i)^` + pattern + `["']?([^\s"';]+)`), show, 1}
}

func in(files string) *regexp.Regexp { return regexp.MustCompile(files) }

// formats are the known ones, by the documentation of each tool.
var formats = []*format{
	{files: in(`/(pip\.conf|pip\.ini)$`), comment: "#;", rules: []rule{
		behind(Unverified, `[^.=]*\.trusted-host\s*=\s*`, "trusted-host"),
		when(Unverified, `[^.=]*\.trusted-host\s*=$`, "trusted-host"), // the hosts are on lines of their own
		behind(Proxy, `[^.=]*\.proxy\s*=\s*`, "proxy")}},
	{files: in(`/(\.npmrc|npmrc|\.pnpmrc)$`), comment: "#;", rules: []rule{
		when(Unverified, `strict-ssl\s*=\s*(false|0)\b`, "strict-ssl=false"),
		behind(Proxy, `(?:https?-)?proxy\s*=\s*`, "proxy")}},
	{files: in(`/\.yarnrc$`), comment: "#", rules: []rule{
		when(Unverified, `"?strict-ssl"?\s+"?false\b`, "strict-ssl false")}},
	{files: in(`/\.yarnrc\.yml$`), comment: "#", rules: []rule{
		when(Unverified, `enableStrictSsl\s*:\s*["']?false\b`, "enableStrictSsl: false"),
		behind(Proxy, `https?Proxy\s*:\s*`, "httpsProxy")}},
	{files: in(`/(\.gitconfig|etc/gitconfig|\.config/git/config|\.git/config)$`), comment: "#;", rules: []rule{
		when(Unverified, `http\b[^=]*\.sslverify\s*=\s*"?(false|no|off|0)\b`, "http.sslVerify = false"),
		behind(Proxy, `https?\b[^=]*\.proxy\s*=\s*`, "http.proxy")}},
	{files: in(`/(\.curlrc|_curlrc|etc/curlrc|\.config/curlrc)$`), comment: "#", whole: true, rules: []rule{
		when(Unverified, `(?:-[a-zA-Z]*k|(?:--)?insecure|(?:--)?proxy-insecure)(\s|=|$)`, "insecure"),
		behind(Proxy, `(?:-x|(?:--)?proxy)[\s=:]+`, "proxy")}},
	{files: in(`/(\.wgetrc|wgetrc)$`), comment: "#", rules: []rule{
		when(Unverified, `check[-_]?certificate\s*=\s*(off|no|0|quiet|false)\b`, "check_certificate = off"),
		behind(Proxy, `https?[-_]?proxy\s*=\s*`, "http_proxy")}},
	{files: in(`/etc/apt/apt\.conf(\.d/[^/]+)?$`), comment: "//#", whole: true, rules: []rule{
		when(Unverified, `(?:.*\b)?verify-(peer|host)\s+"?(false|0|no|off)\b`, "Verify-Peer false"),
		when(Unsigned, `(?:.*\b)?allowunauthenticated\s+"?(true|1|yes)\b`, "AllowUnauthenticated true"),
		when(Unsigned, `(?:.*\b)?allow(downgradeto)?insecurerepositories\s+"?(true|1|yes)\b`, "AllowInsecureRepositories true"),
		behind(Proxy, `(?:.*\b)?acquire::(?:https?|ftp)::proxy(?:::[^\s"]+)?\s+`, "Acquire::http::Proxy")}},
	{files: in(`/etc/apt/sources\.list(\.d/[^/]+\.(list|sources))?$`), comment: "#", whole: true, rules: []rule{
		when(Unsigned, `deb(-src)?\s+\[[^\]]*\b(trusted|allow-insecure)=yes\b[^\]]*\]\s+(http|ftp|tor|mirror)`, "trusted=yes"),
		when(Unsigned, `(trusted|allow-insecure)\s*:\s*yes\b`, "Trusted: yes")}},
	{files: in(`/etc/(yum|dnf/dnf)\.conf$|/etc/yum\.repos\.d/[^/]+\.repo$`), comment: "#;", rules: []rule{
		when(Unverified, `[^=]*\.sslverify\s*=\s*(0|false|no)\b`, "sslverify=0"),
		when(Unsigned, `[^=]*\.gpgcheck\s*=\s*(0|false|no)\b`, "gpgcheck=0"),
		behind(Proxy, `[^=]*\.proxy\s*=\s*`, "proxy")}},
	{files: in(`/etc/pacman\.conf$`), comment: "#", rules: []rule{
		when(Unsigned, `[^=]*\.siglevel\s*=\s*(\S+\s+)*never\b`, "SigLevel = Never")}},
	{files: in(`/\.?condarc$`), comment: "#", rules: []rule{
		when(Unverified, `ssl_verify\s*:\s*(false|no)\b`, "ssl_verify: false")}},
	{files: in(`/uv\.toml$`), comment: "#", rules: []rule{
		behind(Unverified, `[^=]*allow-insecure-host\s*=\s*\[\s*`, "allow-insecure-host")}},
	{files: in(`/pypoetry/config\.toml$`), comment: "#", rules: []rule{
		when(Unverified, `certificates\.[^=]*cert\s*=\s*false\b`, "certificates.cert = false")}},
	{files: in(`/(\.gemrc|gemrc)$`), comment: "#", rules: []rule{
		when(Unverified, `:ssl_verify_mode:\s*0`, ":ssl_verify_mode: 0")}},
	{files: in(`/etc/python/cert-verification\.cfg$`), comment: "#", rules: []rule{
		when(Unverified, `https\.verify\s*=\s*disable\b`, "verify=disable")}},
	environment,
}

// environment are the files that set variables: those of logins, and those that
// programs read themselves.
var environment = &format{files: in(`/etc/environment$|/etc/profile(\.d/[^/]+)?$|/etc/(bash\.)?bashrc$|/\.(bashrc|bash_profile|profile|zshrc|zshenv)$|/\.env(\.[\w-]+)?$`), comment: "#", whole: true}

// others are the names of such files that are neither hidden nor in /etc.
var others = []string{"pip.conf", "pip.ini", "npmrc", "_curlrc", "curlrc", "wgetrc", "condarc", "uv.toml", "gemrc"}

func formatOf(p string) *format {
	base := path.Base(p)
	if base[0] != '.' && !strings.HasPrefix(p, "/etc/") && !slices.Contains(others, base) && !strings.Contains(p, "/.") {
		return nil // as most paths are, at less cost than that of the expressions
	}
	for _, f := range formats {
		if f.files.MatchString(p) {
			return f
		}
	}
	return nil
}

// A reader takes the settings out of one file.
type reader struct {
	*format
	section string
	found   []Setting

	off     bool // the section is switched off
	pending []Setting
}

var sectionHead = regexp.MustCompile(`^\[+\s*([^\]]*?)\s*\]+$`)

// maxSettings is how many of one file are kept.
const maxSettings = 50

func (r *reader) read(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsAny(line[:1], r.comment) {
			continue
		}
		if m := sectionHead.FindStringSubmatch(line); m != nil && !r.whole {
			r.endSection()
			r.section = strings.TrimSpace(strings.ReplaceAll(m[1], `"`, "")) + "."
			continue
		}
		if len(r.found)+len(r.pending) < maxSettings {
			r.line(line, n)
		}
	}
	r.endSection()
}

// endSection keeps what a section says, unless it says that it does not count.
func (r *reader) endSection() {
	if !r.off {
		r.found = append(r.found, r.pending...)
	}
	r.pending, r.off = nil, false
}

var disabled = regexp.MustCompile(`(?i)^enabled\s*=\s*(0|false|no)\b`)

func (r *reader) line(line string, n int) {
	if r.format == environment {
		r.variable(line, n)
		return
	}
	r.off = r.off || disabled.MatchString(line)
	for _, x := range r.rules {
		m := x.match.FindStringSubmatch(r.section + line)
		if m == nil {
			continue
		}
		s := Setting{Kind: x.kind, Line: n, Name: x.show}
		if x.host > 0 {
			if s.Host = shownHost(m[x.host]); s.Host == "" || Loopback(s.Host) {
				continue
			}
		}
		r.pending = append(r.pending, s)
		return
	}
}

// shownHost is the host of a setting's value; empty for a word that means none.
func shownHost(value string) string {
	switch strings.ToLower(value) {
	case "false", "direct", "none", "null", "no", "_none_", "off":
		return ""
	}
	if Host(value) != "" {
		return Host(value)
	}
	if strings.ContainsAny(value, "$<>{}%") {
		return ""
	}
	return hostOf(value[strings.LastIndexByte(value, '@')+1:])
}

var exported = regexp.MustCompile(`^(?:export\s+|setenv\s+)?([A-Za-z_]\w*)=["']?([^"']*)`)

// variable reads one line of a file that sets variables.
func (r *reader) variable(line string, n int) {
	m := exported.FindStringSubmatch(line)
	if m == nil {
		return
	}
	value := strings.TrimSpace(m[2])
	if VariableOff(m[1], value) != "" {
		r.pending = append(r.pending, Setting{Kind: Unverified, Line: n, Name: m[1]})
	} else if h := ProxyVariable(m[1], value); h != "" {
		r.pending = append(r.pending, Setting{Kind: Proxy, Line: n, Name: m[1], Host: h})
	}
}

var proxyName = regexp.MustCompile(`(?i)^(http|https|all|ftp|rsync|npm_config|npm_config_https|global_agent_http|grpc|docker_http|docker_https)_proxy$`)

// ProxyVariable is the host that a variable sends connections to; empty if it is no
// proxy's, or that is this machine.
func ProxyVariable(name, value string) string {
	if !proxyName.MatchString(name) || value == "" {
		return ""
	}
	if h := shownHost(value); !Loopback(h) {
		return h
	}
	return ""
}

// Tool is what reads a configuration file, by its name.
func Tool(p string) string {
	base := strings.TrimPrefix(path.Base(p), ".")
	for _, t := range []struct{ in, name string }{
		{"pip", "pip"}, {"npmrc", "npm"}, {"yarnrc", "yarn"}, {"git", "git"}, {"curlrc", "curl"}, {"wgetrc", "wget"}, {"condarc", "conda"},
		{"uv.toml", "uv"}, {"gemrc", "gem"}, {"pacman", "pacman"},
	} {
		if strings.Contains(base, t.in) {
			return t.name
		}
	}
	switch {
	case strings.Contains(p, "/git/") || strings.Contains(p, "/.git/"):
		return "git"
	case strings.HasPrefix(p, "/etc/apt/"):
		return "apt"
	case strings.Contains(p, "yum") || strings.Contains(p, "dnf"):
		return "dnf"
	case strings.Contains(p, "pypoetry"):
		return "poetry"
	case strings.Contains(p, "cert-verification"):
		return "Python"
	}
	return "a program that reads it"
}

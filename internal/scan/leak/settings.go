package leak

import (
	"cmp"
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// The ways in which configuration files, and programs that hold their settings, write
// a name with its value.
var (
	quoted  = regexp.MustCompile(`([A-Za-z_][\w.-]*)["']?\]?[ \t]*(?:=>|:=|[=:])[ \t]*[rbu]?(?:"([^"\n]+)"|'([^'\n]+)')`)
	plain   = regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+|-[ \t]+)?["']?([A-Za-z_/][\w./:-]*)["']?[ \t]*[=:][ \t]*([^\s"'#;{}\[\]()<>,&*|>][^\s#;,]*)[ \t]*(?:[#;].*)?\r?$`)
	element = regexp.MustCompile(`<([A-Za-z][\w.-]*)>([^<\n]+)</`)
	keyed   = regexp.MustCompile(`key="([\w.-]+)"\s+value="([^"\n]+)"`)
	define  = regexp.MustCompile(`define\(\s*["'](\w+)["']\s*,\s*["']([^"'\n]+)`)
)

// settings reads names with their values in a file of settings.
func (s *sink) settings(text string) {
	for _, form := range []*regexp.Regexp{quoted, plain, element, keyed} {
		s.pairs(text, form)
	}
	s.lines(text)
}

// code reads the settings that a program's source assigns as literals.
func (s *sink) code(text string) {
	s.pairs(text, quoted)
	s.pairs(text, define)
	s.lines(text)
}

// pairs judges what a form finds: a name and, in one of the groups behind it, a value.
func (s *sink) pairs(text string, form *regexp.Regexp) {
	at := counter{text: text}
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		name, value := text[m[2]:m[3]], text[max(m[len(m)-2], 0):max(m[len(m)-1], 0)]
		if value == "" {
			value = text[m[4]:m[5]]
		}
		name = name[strings.LastIndexAny(name, "/:")+1:]
		s.named(name, value, at.line(m[0]))
	}
}

// named judges one name with its value.
func (s *sink) named(name, value string, line int) {
	value = strings.TrimRight(strings.TrimSpace(value), ",")
	j := secret.Judge(name, value)
	if !j.Secret && !j.Default {
		return
	}
	if j.Secret && s.inner(name, value, line) {
		return
	}
	if wordy(value) {
		j.Confidence = min(j.Confidence, secret.Low)
	}
	s.add(Credential{
		Kind: j.Kind, Reason: j.Reason, Shown: secret.Describe(value), Name: name, Confidence: j.Confidence,
		Default: j.Default, Line: line, value: identify(value),
	})
}

// inner reads a value that is more than a credential, such as a URL with a password,
// and reports whether it is one. Two names of one password may have different values.
func (s *sink) inner(name, value string, line int) bool {
	if !strings.ContainsAny(value, ":;{ ") {
		return false
	}
	hits := secret.InText(value)
	for _, h := range hits {
		c := credential(h, value[h.Offset:h.Offset+h.Length])
		c.Name, c.Line = cmp.Or(h.Name, name), line
		s.add(c)
	}
	return len(hits) > 0
}

// wordy reports whether a value is one plain word, as the values of most settings are.
func wordy(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < 'a' || r > 'z' })
}

// lines reads what gives itself away: URLs with a password, headers, tokens.
func (s *sink) lines(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if len(line) > longLine || !telling(line) {
			continue
		}
		s.hits(line, n)
	}
}

// hits reads a short text: what has a form, and what stands under a name.
func (s *sink) hits(text string, line int) {
	for _, h := range secret.InText(text) {
		value := text[h.Offset : h.Offset+h.Length]
		if h.Name != "" && s.inner(h.Name, value, line) {
			continue
		}
		c := credential(h, value)
		c.Line = line
		s.add(c)
	}
}

// telling reports whether a line may hold what InText finds without a name.
func telling(line string) bool {
	return strings.Contains(line, "://") || strings.Contains(line, "uthorization") || strings.Contains(line, "AUTHORIZATION") || strings.Contains(line, "assword=") || strings.Contains(line, "AccountKey=")
}

var netrcPassword = regexp.MustCompile(`\bpassword\s+(\S+)`)

// netrc reads logins (netrc(5)).
func (s *sink) netrc(text string) {
	at := counter{text: text}
	for _, m := range netrcPassword.FindAllStringSubmatchIndex(text, -1) {
		s.named("password", text[m[2]:m[3]], at.line(m[0]))
	}
}

var registryLogin = regexp.MustCompile(`"(auth|identitytoken|registrytoken|password)"\s*:\s*"([^"]+)"`)

// registries reads the logins of container registries: user and password in Base64
// under "auth", or a token.
func (s *sink) registries(text string) {
	at := counter{text: text}
	for _, m := range registryLogin.FindAllStringSubmatchIndex(text, -1) {
		name, value, line := text[m[2]:m[3]], text[m[4]:m[5]], at.line(m[0])
		if name != "auth" {
			s.named("auth_token", value, line)
			continue
		}
		plain, err := base64.StdEncoding.DecodeString(value)
		if user, pass, ok := strings.Cut(string(plain), ":"); err == nil && ok && user != "" {
			s.named("password", pass, line)
		}
	}
}

// pgpass reads host:port:database:user:password, one a line (PostgreSQL, 34.16).
func (s *sink) pgpass(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if f := strings.SplitN(strings.TrimSpace(line), ":", 5); len(f) == 5 && !strings.HasPrefix(line, "#") {
			s.named("password", f[4], n)
		}
	}
}

// bare reads a file that is one token.
func (s *sink) bare(text string) {
	if value := strings.TrimSpace(text); !strings.ContainsAny(value, " \n") {
		s.named("token", value, 1)
	}
}

var identified = regexp.MustCompile(`(?i)\b(?:identified\s+by|password)\s+(?:as\s+)?'([^'\n]+)'`)

// dump reads the statements that give a database's users their passwords.
func (s *sink) dump(text string) {
	at := counter{text: text}
	for _, m := range identified.FindAllStringSubmatchIndex(text, -1) {
		s.named("password", text[m[2]:m[3]], at.line(m[0]))
	}
	s.lines(text)
}

// notebook reads the sources and outputs of cells, which JSON holds as strings.
func (s *sink) notebook(text string) { s.code(strings.ReplaceAll(text, `\"`, `"`)) }

// commands reads what somebody typed into a shell or an interpreter.
func (s *sink) commands(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if _, typed, ok := strings.Cut(line, ";"); ok && strings.HasPrefix(line, ": ") {
			line = typed // zsh keeps the time in front (zshoptions(1), EXTENDED_HISTORY)
		}
		for _, c := range InCommand(line) {
			c.Line = n
			s.add(c)
		}
	}
	s.pairs(text, quoted)
}

// A counter tells the line of ever later places in a text.
type counter struct {
	text  string
	at, n int
}

func (c *counter) line(i int) int {
	c.n += strings.Count(c.text[c.at:i], "\n")
	c.at = i
	return c.n + 1
}

package network

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A BrowserFlag is an option by which Chrome gives up a part of its own sandbox.
type BrowserFlag struct {
	Line int    // 0 in bytecode
	Flag string // as written
}

// browserFlags are the options and what they do (chromium.org, "List of Chromium
// Command Line Switches").
var browserFlags = []struct {
	flag *regexp.Regexp
	does string
}{
	{regexp.MustCompile(`^--no-sandbox$`), "a page that breaks the renderer has all that the browser's user has"},
	{regexp.MustCompile(`^--disable-web-security$`), "every page can read what every other site shows, logins included"},
	{regexp.MustCompile(`^--remote-allow-origins=\*$`), "every page that is open can drive the browser through its debugger"},
}

// debugAddress is the option for where the debugger listens.
const debugAddress = "--remote-debugging-address="

// BrowserFlagDoes says what an option of Chrome gives up; empty if it gives nothing
// up that counts. A debugger on this machine is what every tool that drives a browser
// needs.
func BrowserFlagDoes(flag string) string {
	for _, f := range browserFlags {
		if f.flag.MatchString(flag) {
			return f.does
		}
	}
	if address, ok := strings.CutPrefix(flag, debugAddress); ok && address != "" && !Loopback(address) && !strings.ContainsAny(address, "${") {
		return "whoever reaches the debugger reads and drives the whole session"
	}
	return ""
}

var flagInText = regexp.MustCompile(`--(?:no-sandbox|disable-web-security|remote-allow-origins=\*|remote-debugging-address=[\w.:\[\]*]+)`)

// BrowserFlagsIn returns the options in a text, as whole words, each once.
func BrowserFlagsIn(text string) []string {
	var out []string
	for _, m := range flagInText.FindAllStringIndex(text, 100) {
		f := text[m[0]:m[1]]
		if m[0] > 0 && isWord(text[m[0]-1]) || m[1] < len(text) && isWord(text[m[1]]) || BrowserFlagDoes(f) == "" {
			continue
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// BrowserFlags are those in scripts, settings, sources and bytecode.
var BrowserFlags = &image.Probe[[]BrowserFlag]{
	Name: "browser-flags", Version: 2,
	Want: func(e image.Entry) bool {
		ext := path.Ext(e.Path)
		return e.Size <= 1<<20 && (slices.Contains(launching, ext) || ext == "" && (e.Mode&0o111 != 0 || strings.HasPrefix(e.Path, "/etc/chromium"))) && !borrowed.MatchString(e.Path)
	},
	Needles: []string{"--no-sandbox", "--disable-web-security", "--remote-debugging-address", "--remote-allow-origins"},
	Read: func(e image.Entry, b []byte) ([]BrowserFlag, bool) {
		if path.Ext(e.Path) == ".pyc" {
			return inBytecode(b)
		}
		if bytes.IndexByte(b, 0) >= 0 {
			return nil, false
		}
		out := inText(string(b), path.Ext(e.Path) == ".py")
		return out, len(out) > 0
	},
}

// inText finds the options in the lines of a text that hand them on. Texts of Python
// over several lines are documentation.
func inText(text string, python bool) []BrowserFlag {
	var out []BrowserFlag
	n, quoted := 0, false
	for line := range strings.Lines(text) {
		n++
		quotes := 0
		if python {
			quotes = strings.Count(line, `"""`) + strings.Count(line, "'''")
		}
		silent := quoted || quotes > 0
		quoted = quoted != (quotes%2 == 1)
		line = strings.TrimSpace(line)
		if silent || len(line) > 4096 || remark.MatchString(line) || spoken.MatchString(line) {
			continue
		}
		for _, f := range BrowserFlagsIn(line) {
			if len(out) < maxSettings {
				out = append(out, BrowserFlag{n, f})
			}
		}
	}
	return out
}

// remark is the start of a line that is none of the program's.
var remark = regexp.MustCompile(`^(#|//|\*|;)`)

// spoken are lines that print an option, look for it, or take it away.
var spoken = regexp.MustCompile(`(?i)ignore_?default_?args|\.(remove|discard|replace|includes|indexof|has)\(|[!=]==?\s*["'\x60]--|["'\x60]\s+(not\s+)?in\b|^echo\b[^>|]*(>&2.*)?$|\bprint(f|ln)?\(|\bconsole\.|\blog(ger|ging)?\.|\bwarn(ing)?s?\(|\braise\b|\bthrow\b|\berror\(`)

// OnlySays reports whether a command prints, looks for or edits the words that it is
// given, so that an option among them is none.
func OnlySays(program string) bool { return says.MatchString(program) }

var says = regexp.MustCompile(`^(echo|printf|e?grep|fgrep|rg|sed|awk|test|\[|true|:|)$`)

// launching are the extensions of files that start browsers.
var launching = []string{".sh", ".bash", ".py", ".pyc", ".js", ".mjs", ".cjs", ".ts", ".conf", ".ini", ".json", ".yaml", ".yml", ".toml", ".desktop", ".service", ".env"}

// inBytecode finds the options among the constants, which are stored as they are.
func inBytecode(b []byte) ([]BrowserFlag, bool) {
	var out []BrowserFlag
	for _, m := range flagInText.FindAll(b, 100) {
		f := BrowserFlag{Flag: string(m)}
		if BrowserFlagDoes(f.Flag) != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out, len(out) > 0
}

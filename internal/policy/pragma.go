package policy

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// A pragma is what a comment in a Dockerfile or manifest says to this program:
//
//	# sandbox-audit: ignore=SBX205,SBX206 reason="..." until=2027-03-01 scope=stage
//
// What stands behind a dash is the reason too: "ignore=SBX205 - because".
type pragma struct {
	rules  []string // as written
	reason string
	until  time.Time
	scope  string // "", "file" or "stage"
	wrong  string // why it can't be read; the rest is then not to be used
	hint   string
}

var (
	pragmaStart = regexp.MustCompile(`(?i)^sandbox[-_ ]?audit\s*(:?)\s*`)
	pragmaWord  = regexp.MustCompile(`^([A-Za-z][A-Za-z-]*)\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)(\s+|$)`)
	pragmaWhy   = regexp.MustCompile(`^(?:-+|—|–|:|#|//|because\b)\s*(.+)$`)
	pragmaKeys  = []string{"ignore", "reason", "until", "scope"}
	// pragmaSlip is how the start is written by mistake: "sandbox-audit-ignore: SBX205".
	pragmaSlip = regexp.MustCompile(`(?i)^[-_.=/ ]?(ignore|disable|skip)\b`)
)

// parsePragma reads the text of a comment; ok is false if it says nothing to this
// program. What it quotes of the text are only plain words.
func parsePragma(text string) (p pragma, ok bool) {
	m := pragmaStart.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	rest := strings.TrimSpace(text[len(m[0]):])
	if m[1] == "" && !pragmaSlip.MatchString(rest) {
		return p, false // prose about the program
	}
	given := map[string]bool{}
	for rest != "" && p.wrong == "" {
		if w := pragmaWord.FindStringSubmatch(rest); w != nil {
			key := strings.ToLower(w[1])
			if given[key] {
				p.wrong, p.hint = "it has "+key+" twice", "write one, with commas between rules"
				break
			}
			given[key] = true
			p.set(key, strings.Trim(w[2], `"'`))
			rest = rest[len(w[0]):]
			continue
		}
		why := pragmaWhy.FindStringSubmatch(rest)
		if why == nil || len(p.rules) == 0 || p.reason != "" {
			p.wrong, p.hint = "what it says can't be read", `write # sandbox-audit: ignore=SBX205 reason="..." until=2027-03-01`
			break
		}
		p.reason, rest = reason(why[1]), ""
	}
	if p.wrong == "" && len(p.rules) == 0 {
		p.wrong, p.hint = "it names no rule", "write ignore=SBX205"
	}
	return p, true
}

func (p *pragma) set(key, value string) {
	switch key {
	case "ignore":
		for id := range strings.SplitSeq(value, ",") {
			if id = strings.TrimSpace(id); id != "" {
				p.rules = append(p.rules, id)
			}
		}
	case "reason":
		p.reason = reason(value)
	case "until":
		var err error
		if p.until, err = time.Parse(time.DateOnly, value); err != nil {
			p.wrong, p.hint = "its until is no date", "write it as until=2027-03-01"
		}
	case "scope":
		if p.scope = strings.ToLower(value); p.scope != "file" && p.scope != "stage" {
			p.wrong, p.hint = "its scope is none", "write scope=stage or scope=file, or leave it out for the instruction below"
		}
	default:
		p.wrong = "it has the key " + key + ", which is unknown"
		if near := suggest.Nearest(key, pragmaKeys); near != "" {
			p.hint = "did you mean " + near + "?"
		} else {
			p.hint = "one of " + strings.Join(pragmaKeys, ", ")
		}
	}
}

// reason is a text that says why; empty if it says nothing, as "--" does.
func reason(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return strings.TrimSpace(text)
}

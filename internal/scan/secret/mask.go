package secret

import (
	"regexp"
	"strings"
)

// legacyEnv is the form of ENV with a space (Dockerfile reference, "ENV").
var legacyEnv = regexp.MustCompile(`(?i)^\s*(?:ONBUILD\s+)?ENV\s+([A-Za-z_][\w.-]*)\s+(\S.*)$`)

// Mask returns one line of a Dockerfile, script or history with every credential
// in it replaced by "***".
func Mask(line string) string {
	if m := legacyEnv.FindStringSubmatchIndex(line); m != nil && Judge(line[m[2]:m[3]], line[m[4]:m[5]]).Secret {
		return line[:m[4]] + "***"
	}
	line = maskPasswords(line)
	var b strings.Builder
	at := 0
	for _, h := range InText(line) {
		b.WriteString(line[at:h.Offset])
		b.WriteString("***")
		at = h.Offset + h.Length
	}
	b.WriteString(line[at:])
	return b.String()
}

// fedPasswords are the forms in which a command line gives a password to chpasswd(8),
// passwd(1), useradd(8) or usermod(8), the password in the second group.
var fedPasswords = []*regexp.Regexp{
	regexp.MustCompile(`(\b(?:echo|printf)\s)([^|]*)(\|[^|;&]*\b(?:ch)?passwd\b)`),
	regexp.MustCompile(`(\b(?:ch)?passwd\b[^;&|]*<<<\s*)("[^"]*"|'[^']*'|\S+)()`),
	regexp.MustCompile(`(\buser(?:add|mod)\b[^;&|]*\s(?:-\w*p|--password)[\s=]*)("[^"]*"|'[^']*'|\S+)()`),
}

// maskPasswords masks what no form of its own gives away as a credential.
func maskPasswords(line string) string {
	for _, form := range fedPasswords {
		line = form.ReplaceAllString(line, "${1}***${3}")
	}
	return line
}

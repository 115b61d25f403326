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

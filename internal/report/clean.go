package report

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a foreign string safe to print in every format, on one line of at
// most limit bytes (64 or more). Line breaks, other control characters, invalid
// UTF-8, and characters that can't be seen or that reorder others are shown as
// escapes; what is too long is cut, with its length and SHA-256. Commands that CI
// systems read from a log are broken up: "::" at the start of the string, also if
// its second half would come from us, "##[" and "##vso[" anywhere.
//
// It is the only door: no format prints a word of a target, or a message that may
// quote one, that did not pass it. Cleaning twice changes nothing.
func Clean(s string, limit int) string {
	var b strings.Builder
	kept := 0 // bytes that leave room for a mark
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		word := visible(r, s[i:i+size])
		if opensCommand(s, i) {
			word = fmt.Sprintf(`\x%02x`, r)
		}
		if b.Len()+len(word) > limit {
			return b.String()[:kept] + cutMark(s)
		}
		b.WriteString(word)
		if b.Len() <= limit-markBytes {
			kept = b.Len()
		}
		i += size
	}
	return b.String()
}

// markBytes is the most that cutMark returns.
const markBytes = 56

// cutMark stands for the rest of s.
func cutMark(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("... (%d bytes, sha256 %x)", len(s), sum[:8])
}

// visible is r itself if a reader sees it and it moves nothing else, or else its
// escape. The bytes are those that encode r.
func visible(r rune, bytes string) string {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return fmt.Sprintf(`\x%02x`, bytes[0])
	case !strconv.IsPrint(r), unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
	}
	return bytes
}

// opensCommand reports whether s[i] is the character to break so that no CI
// system takes s for a command. GitHub ignores white space before "::" and looks
// for "##[" anywhere, as Azure does for "##vso[".
func opensCommand(s string, i int) bool {
	switch rest := s[i+1:]; s[i] {
	case ':':
		return (rest == "" || rest[0] == ':') && strings.Trim(s[:i], " ") == "" // one at the end may get another behind it
	case '#':
		return i > 0 && s[i-1] == '#' && (strings.HasPrefix(rest, "[") || len(rest) >= 4 && strings.EqualFold(rest[:4], "vso["))
	}
	return false
}

package source

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// cookie is a declaration of the encoding and blank a line that one may follow
// (Python reference, 2.1.4, "Encoding declarations"; PEP 263).
var (
	cookie = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)
	blank  = regexp.MustCompile(`^[ \t\f]*(?:#.*)?$`)
)

// ascii lists how names of encodings begin under which bytes below 0x80 are what
// they are in ASCII. What else such a file holds is not decoded here.
var ascii = []string{
	"ascii", "us-ascii", "646", "cp125", "cp437", "cp85", "cp86", "windows-125", "iso-8859-", "iso8859-", "latin-",
	"koi8-", "euc-", "gbk", "gb2312", "gb18030", "big5", "mac-",
}

// decode returns the text of a source file as its declared encoding gives it, with
// one kind of line end.
func decode(data []byte) (string, error) {
	data, marked := bytes.CutPrefix(data, []byte("\ufeff"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", refuse(1+bytes.Count(data[:i], []byte("\n")), "holds a null byte")
	}
	encoding, line := declared(data)
	if marked && encoding != "utf-8" {
		return "", refuse(line, "declares the encoding %q after a mark of UTF-8", encoding)
	}
	text := string(data)
	switch {
	case encoding == "utf-8":
		if !utf8.Valid(data) {
			return "", refuse(badLine(data), "is not UTF-8, and no other encoding is declared")
		}
	case encoding == "latin-1":
		text = latin1(data)
	case !slices.ContainsFunc(ascii, func(p string) bool { return strings.HasPrefix(encoding, p) }):
		return "", refuse(line, "declares the encoding %q, which is not understood", encoding)
	case slices.ContainsFunc(data, func(b byte) bool { return b >= utf8.RuneSelf }):
		return "", refuse(line, "declares the encoding %q and is not plain ASCII", encoding)
	}
	return lineEnds.Replace(text), nil
}

// lineEnds makes all line ends the same (Python reference, 2.1.2, "Physical lines").
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// declared returns the encoding that one of the first two lines declares, UTF-8 if
// none does, and that line.
func declared(data []byte) (encoding string, line int) {
	for line = 1; line <= 2; line++ {
		i := bytes.IndexAny(data, "\r\n")
		if i < 0 {
			i = len(data)
		}
		if m := cookie.FindSubmatch(data[:i]); m != nil {
			return codec(string(m[1])), line
		}
		if !blank.Match(data[:i]) || i == len(data) {
			break
		}
		if bytes.HasPrefix(data[i:], []byte("\r\n")) {
			i++
		}
		data = data[i+1:]
	}
	return "utf-8", 1
}

// codec returns one name for each encoding that has several.
func codec(declared string) string {
	n := strings.ReplaceAll(strings.ToLower(declared), "_", "-")
	switch {
	case n == "utf-8" || strings.HasPrefix(n, "utf-8-") || n == "utf8" || n == "u8" || n == "utf":
		return "utf-8"
	case n == "latin-1" || n == "iso-8859-1" || n == "iso-latin-1" || n == "latin1" || n == "iso8859-1" ||
		n == "l1" || strings.HasPrefix(n, "latin-1-") || strings.HasPrefix(n, "iso-8859-1-"):
		return "latin-1"
	}
	return n
}

func latin1(data []byte) string {
	var b strings.Builder
	b.Grow(len(data) + len(data)/8)
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// badLine returns the line of the first byte that is not UTF-8.
func badLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		data = data[n:]
	}
	return line
}

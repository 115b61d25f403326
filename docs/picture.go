//go:build ignore

// Picture draws terminal output, colours included, as the SVG of the README:
//
//	go run testdata/images/build.go testdata/images/whole/leaky.txtar |
//		go run ./cmd/sandbox-audit --color always - | go run docs/picture.go > docs/audit.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"log"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The colours of SGR parameters (ECMA-48, 8.3.117) as drawn.
var classes = map[string]string{
	"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "34": "u", "35": "m", "36": "c", "90": "d",
	"1;31": "b r", "1;32": "b g", "1;33": "b y", "1;34": "b u", "1;36": "b c",
}

const style = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre}
.b{font-weight:700}.d{fill:#7f8ea3}.r{fill:#ff6b6b}.g{fill:#7bd88f}.y{fill:#ffd166}.u{fill:#82aaff}.m{fill:#c792ea}.c{fill:#7fdbca}`

const lineHeight, charWidth, margin = 18, 7.83, 16

// mostLines keeps the picture on one screen.
const mostLines = 52

func main() {
	var lines []string
	width := 0
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		line := strings.TrimRight(s.Text(), " ")
		lines = append(lines, line)
		width = max(width, utf8.RuneCountInString(sgr.ReplaceAllString(line, "")))
	}
	if len(lines) == 0 {
		log.Fatal("picture: nothing on standard input")
	}
	if len(lines) > mostLines {
		lines = append(lines[:mostLines], "\x1b[2m  ...\x1b[0m")
	}
	w, h := float64(width)*charWidth+2*margin, len(lines)*lineHeight+2*margin
	fmt.Printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" role=\"img\" aria-label=\"output of sandbox-audit\">\n", w, h)
	fmt.Printf("<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0b1220\"/>\n", style)
	for i, l := range lines {
		if l != "" {
			fmt.Printf("<text x=\"%d\" y=\"%d\">%s</text>\n", margin, margin+13+i*lineHeight, spans(l))
		}
	}
	fmt.Println("</svg>")
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// spans turns one line with SGR sequences into tspans.
func spans(line string) string {
	var b strings.Builder
	class := ""
	text := func(s string) {
		switch {
		case s == "":
		case class == "":
			b.WriteString(html.EscapeString(s))
		default:
			fmt.Fprintf(&b, "<tspan class=\"%s\">%s</tspan>", class, html.EscapeString(s))
		}
	}
	at := 0
	for _, m := range sgr.FindAllStringSubmatchIndex(line, -1) {
		text(line[at:m[0]])
		class, at = classes[line[m[2]:m[3]]], m[1]
	}
	text(line[at:])
	return b.String()
}

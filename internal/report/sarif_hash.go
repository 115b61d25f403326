package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
)

// A lineHash is what GitHub tells a line of a file by, so that an alert is the same
// alert after lines above it were added.
type lineHash struct {
	text string
	last int // number of the last line of which something is in it
}

// hashedUnits is how much of a file is in the hash of a line.
const hashedUnits = 100

// lineHashes are those of all lines of a file, which GitHub's upload action also
// computes of a checkout, and warns where they differ from what a log says: a
// polynomial in 37, modulo 2^64, of the 100 UTF-16 units from the start of the line on
// that are neither space nor tab, with every line break as one line feed, 65535 at the
// end of the file and zeros behind it; then which one it is of the lines alike.
func lineHashes(file string) []lineHash {
	var starts, lines []int // where lines begin in units; the line of each unit
	var units []uint16
	line, fresh, cr := 0, true, false
	for _, u := range append(utf16.Encode([]rune(file)), 0xffff) {
		after := cr
		if cr = u == '\r'; u == ' ' || u == '\t' || u == '\n' && after {
			continue
		}
		if cr {
			u = '\n'
		}
		if fresh {
			line++
			starts = append(starts, len(units))
		}
		fresh = u == '\n'
		units, lines = append(units, u), append(lines, line)
	}
	seen := map[string]int{}
	out := make([]lineHash, 0, len(starts))
	for _, from := range starts {
		var sum uint64
		for i := from; i < from+hashedUnits; i++ {
			if sum *= 37; i < len(units) {
				sum += uint64(units[i])
			}
		}
		text := strconv.FormatUint(sum, 16)
		seen[text]++
		out = append(out, lineHash{text + ":" + strconv.Itoa(seen[text]), lines[min(from+hashedUnits, len(units))-1]})
	}
	return out
}

// hashed returns GitHub's hash of a line of a Dockerfile or manifest; empty if the
// file is not known, or if a secret may stand in what is hashed, as guesses could be
// tried on the hash. The upload action then finds it for itself, as it does where a
// file has what different programs read differently: bytes that are no UTF-8, or line
// breaks without a line feed.
func (h *hashes) hashed(s dockerfile.Span) string {
	if h.Source == nil || s.IsZero() {
		return ""
	}
	all, ok := h.files[s.Path]
	if !ok {
		text := string(h.Source(s.Path))
		if utf8.ValidString(text) && strings.Count(text, "\r") == strings.Count(text, "\r\n") {
			all = lineHashes(text)
		}
		h.files[s.Path] = all
	}
	if s.Start < 1 || s.Start > len(all) {
		return ""
	}
	found := all[s.Start-1]
	if h.known(s.Path, s.Start, found.last) == nil {
		return ""
	}
	return found.text
}

// known are lines of a file in which no secret may stand; nil if one may, or if nobody
// can tell.
func (h *hashes) known(path string, first, last int) []string {
	if h.Snippet == nil || h.Mask == nil {
		return nil
	}
	lines := slices.Clone(h.Snippet(path, first, last))
	for i, line := range lines {
		if h.withheld[path][first+i] || h.masked(line) != line {
			return nil
		}
	}
	return lines
}

// snippet is the text of a region of a file, byte by byte, for viewers that have no
// checkout; empty if it can't be shown as it is.
func (h *hashes) snippet(path string, region *sarif.Region) string {
	first, last := *region.StartLine, *region.StartLine
	if region.EndLine != nil {
		last = *region.EndLine
	}
	lines := h.known(path, first, last)
	if len(lines) != last-first+1 || len(lines) > most {
		return ""
	}
	if region.StartColumn != nil && region.EndColumn != nil {
		end := utf16.Encode([]rune(lines[len(lines)-1]))
		lines[len(lines)-1] = string(utf16.Decode(end[:min(len(end), *region.EndColumn-1)]))
		start := utf16.Encode([]rune(lines[0]))
		lines[0] = string(utf16.Decode(start[min(len(start), *region.StartColumn-1):]))
	}
	for _, line := range lines {
		if bare := strings.ReplaceAll(line, "\t", ""); h.clean(bare) != bare {
			return ""
		}
	}
	return strings.Join(lines, "\n")
}

// hashes are those of the files of a report.
type hashes struct {
	*Report
	files    map[string][]lineHash
	withheld map[string]map[int]bool // lines that may hold a secret
}

func (r *Report) hashes() *hashes {
	h := &hashes{r, map[string][]lineHash{}, map[string]map[int]bool{}}
	for _, t := range r.Targets {
		for path, lines := range r.quoter(t.Result).lines {
			if h.withheld[path] == nil {
				h.withheld[path] = map[int]bool{}
			}
			for n := range lines {
				h.withheld[path][n] = true
			}
		}
	}
	return h
}

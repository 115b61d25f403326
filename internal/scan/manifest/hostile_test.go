package manifest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

const plainPod = "apiVersion: v1\nkind: Pod\nmetadata: {name: agent}\nspec: {containers: [{name: main, image: i, securityContext: {privileged: true}}]}\n"

// inUTF16 is a text as some editors of Windows save it.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

// TestEncodings reads what is no plain UTF-8 with line feeds, and keeps its lines.
func TestEncodings(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int // of the setting
	}{
		{"UTF-8", plainPod, 4},
		{"a byte order mark", "\ufeff" + plainPod, 4},
		{"UTF-16, little end first", inUTF16(plainPod, binary.LittleEndian), 4},
		{"UTF-16, big end first", inUTF16(plainPod, binary.BigEndian), 4},
		{"a document before it in UTF-16", inUTF16("a: b\n---\n"+plainPod, binary.LittleEndian), 6},
		{"carriage returns", strings.ReplaceAll("a: b\n---\n"+plainPod, "\n", "\r\n"), 6},
		{"carriage returns alone", strings.ReplaceAll(plainPod, "\n", "\r"), 4},
		{"directives and markers", "%YAML 1.2\n---\n...\n---\n" + plainPod + "...\n", 8},
	} {
		m := readCluster(t, tt.text)
		if len(m.Workloads) != 1 || len(m.Problems) > 0 {
			t.Errorf("%s: %+v", tt.name, m)
			continue
		}
		if p := m.Workloads[0].Containers[0].Privileged; !p.True() || p.At.Line != tt.line || p.At.Column != 74 {
			t.Errorf("%s: privileged is %+v, want it in line %d", tt.name, p, tt.line)
		}
	}
}

// TestUnreadable says in which line something stands that can't be read, and reads the
// other documents.
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int
	}{
		{"a zero byte", "a: b\nc: \x00\n", 2},
		{"no UTF-8", "a: b\n\n# \xe9\n", 3},
		{"a tab", "a:\n  b: c\n\td: e\n", 3},
		{"a mapping in a mapping", "a: b\n  c: d\n", 2},
		{"an anchor that is not there", "a: b\nc: *d\n", 1},
		{"a merge key of itself", "a: &a\n  b: &b\n    <<: *a\n", 2},
		{"a list as a key", "a: b\n[c]: d\n", 2},
	} {
		m := readCluster(t, tt.text+"---\n"+plainPod)
		if len(m.Workloads) != 1 || len(m.Problems) != 1 || m.Problems[0].At.Line != tt.line || !m.Problems[0].Fatal {
			t.Errorf("%s: %d workloads, %+v; want line %d", tt.name, len(m.Workloads), m.Problems, tt.line)
		}
	}
}

// TestTold bounds what is said of a manifest of which much can't be read, and says how
// much there is.
func TestTold(t *testing.T) {
	m := readCluster(t, plainPod+strings.Repeat("---\na: b\n  c: d\n", 90))
	last := m.Problems[len(m.Problems)-1]
	if len(m.Problems) != maxUnread+1 || !last.Fatal || last.What != "70 more parts of the manifests can't be read" {
		t.Errorf("%d problems, the last is %+v", len(m.Problems), last)
	}
	var fields strings.Builder
	for i := range 900 {
		fmt.Fprintf(&fields, "---\napiVersion: v1\nkind: Pod\nspec: {x%d: 1, containers: [{name: a}]}\n", i)
	}
	m = readCluster(t, fields.String())
	if last := m.Problems[len(m.Problems)-1]; len(m.Problems) != maxTold+1 || last.Fatal || last.What != "400 more remarks on the manifests are left out" {
		t.Errorf("%d remarks, the last is %+v", len(m.Problems), last)
	}
}

// TestPaths keeps a long name from being kept as often as it holds values.
func TestPaths(t *testing.T) {
	long, key := strings.Repeat("n", 100_000), strings.Repeat("k", 1000)
	deep := strings.Repeat("{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: ", 50) + "1" + strings.Repeat("}", 50)
	m := readCluster(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: "+long+"}\nspec: {"+key+": 1, containers: [{name: "+long+", "+key+": 1, image: i, securityContext: {privileged: true}}]}\ndeep: "+deep+"\n")
	w := m.Workloads[0]
	if at := w.Containers[0].Privileged.At; len(at.Field) > 2*maxPath {
		t.Errorf("a path has %d bytes", len(at.Field))
	}
	for _, p := range m.Problems {
		if len(p.What) > maxPath || len(p.At.Field) > 2*maxPath {
			t.Errorf("a remark has %d bytes, its path %d", len(p.What), len(p.At.Field))
		}
	}
	if w.Name != long {
		t.Error("a name was shortened that --sandbox asks for")
	}
}

package report

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// junitElements are the elements that CI servers know: their attributes, of which
// those with a mark must be there, and their children, in order.
var junitElements = map[string]struct{ attrs, children []string }{
	"testsuites": {[]string{"name!", "tests!", "failures!", "errors!", "skipped!"}, []string{"testsuite"}},
	"testsuite":  {[]string{"name!", "tests!", "failures!", "errors!", "skipped!"}, []string{"properties", "testcase"}},
	"properties": {nil, []string{"property"}},
	"property":   {[]string{"name!", "value!"}, nil},
	"testcase":   {[]string{"classname!", "name!", "file"}, []string{"skipped", "error", "failure", "system-out"}},
	"skipped":    {[]string{"message!", "type"}, nil},
	"error":      {[]string{"message!", "type!"}, nil},
	"failure":    {[]string{"message!", "type!"}, nil},
	"system-out": {nil, nil},
}

// element is any XML element.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
}

func (e element) attr(name string) (string, bool) {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// count returns the number of elements of a name in e.
func (e element) count(name string) int {
	n := 0
	if e.XMLName.Local == name {
		n++
	}
	for _, c := range e.Children {
		n += c.count(name)
	}
	return n
}

func TestJUnitStructure(t *testing.T) {
	for name, r := range allReports() {
		out := formats()["junit.xml"](t, r)
		dec := xml.NewDecoder(strings.NewReader(out))
		var root element
		if err := dec.Decode(&root); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if tok, err := dec.Token(); !errors.Is(err, io.EOF) {
			if text, ok := tok.(xml.CharData); !ok || strings.TrimSpace(string(text)) != "" {
				t.Errorf("%s: something stands behind the root", name)
			}
		}
		checkElement(t, name, root, "testsuites")
		if suites := root.count("testsuite"); suites != len(r.Targets)+len(r.Failed) {
			t.Errorf("%s: %d suites", name, suites)
		}
		if !r.Complete() && root.count("error") == 0 {
			t.Errorf("%s: an incomplete audit has no error", name)
		}
	}
}

func checkElement(t *testing.T, report string, e element, want string) {
	t.Helper()
	known := junitElements[want]
	if e.XMLName.Local != want || e.XMLName.Space != "" {
		t.Errorf("%s: got %v, want %s", report, e.XMLName, want)
	}
	for _, a := range known.attrs {
		name, must := strings.CutSuffix(a, "!")
		if _, there := e.attr(name); must && !there {
			t.Errorf("%s: %s has no %s", report, want, name)
		}
	}
	for _, a := range e.Attrs {
		if !slices.Contains(known.attrs, a.Name.Local) && !slices.Contains(known.attrs, a.Name.Local+"!") {
			t.Errorf("%s: %s has %s", report, want, a.Name.Local)
		}
	}
	for attr, name := range map[string]string{"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"} {
		if n, there := e.attr(attr); there && n != strconv.Itoa(e.count(name)) {
			t.Errorf("%s: %s says %s %s, and there are %d", report, want, n, attr, e.count(name))
		}
	}
	last, names := 0, map[string]bool{}
	for _, c := range e.Children {
		i := slices.Index(known.children, c.XMLName.Local)
		if i < last {
			t.Errorf("%s: %s in %s is unknown or out of order", report, c.XMLName.Local, want)
			continue
		}
		last = i
		if name, ok := c.attr("name"); ok && want == "testsuite" && names[name] {
			t.Errorf("%s: two tests are called %q", report, name)
		} else {
			names[name] = true
		}
		checkElement(t, report, c, c.XMLName.Local)
	}
	if want == "testcase" && len(e.Children) > 1 {
		t.Errorf("%s: a test has two outcomes", report)
	}
}

// Warnings and errors fail their test, notes do not; what was not judged is skipped.
func TestJUnitOutcomes(t *testing.T) {
	var got struct {
		Suites []struct {
			Cases []junitCase `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(formats()["junit.xml"](t, newReport(imageResult(), incompleteResult()))), &got); err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, s := range got.Suites {
		for _, c := range s.Cases {
			outcome := "passed"
			switch {
			case c.Error != nil:
				outcome = "error"
			case c.Failure != nil:
				outcome = c.Failure.Type
			case c.Skipped != nil:
				outcome = "skipped"
			case c.Out != nil:
				outcome = "told"
			}
			all = append(all, strconv.Itoa(i)+" "+strings.Fields(c.Name)[0]+" "+outcome)
		}
	}
	want := "0 audited passed, 0 SBX001 passed, 0 SBX101 warning, 0 SBX201 error, 0 SBX207 warning, 0 SBX301 error, 0 SBX305 error, 0 SBX401 told, 0 SBX508 skipped, " +
		"1 audited error, 1 SBX001 error, 1 SBX101 passed, 1 SBX201 error, 1 SBX207 passed, 1 SBX301 passed, 1 SBX305 passed, 1 SBX401 passed, 1 SBX508 skipped"
	if s := strings.Join(all, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if c := got.Suites[0].Cases[2]; c.File != "docker/Dockerfile" || !strings.Contains(c.Failure.Text, "\n           - layer 3 sha256:000000000000 /app/m00.py\n") {
		t.Errorf("file %q, text\n%s", c.File, c.Failure.Text)
	}
}

package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// BaselineSchema names the format of a baseline's file. It changes when a reader must.
const BaselineSchema = "sandbox-audit-baseline/1"

var (
	// anySchema is the name of any version of the format.
	anySchema = regexp.MustCompile(`^sandbox-audit-baseline/[0-9]{1,9}$`)
	// resultSchema is that of what audits and comparisons tell.
	resultSchema = regexp.MustCompile(`^sandbox-audit(-compare)?/[0-9]{1,9}$`)
)

type baselineFile struct {
	Schema   string     `json:"schema"`
	Findings []Recorded `json:"findings"`
}

// IsBaseline reports whether a file that starts with head is a baseline, and not an
// image.
func IsBaseline(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("{"))
}

// ReadBaseline reads the file of a baseline; name is what it is called. What is no
// baseline, or one of another version, is an error.
func ReadBaseline(name string, b []byte) (*Baseline, error) {
	var f baselineFile
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	err := dec.Decode(&f) // of another version the schema is read although the rest is not
	switch {
	case anySchema.MatchString(f.Schema) && f.Schema != BaselineSchema:
		return nil, fmt.Errorf("reading the baseline %s: it has the form %s, of another version of sandbox-audit; this one reads %s: use that version, or write the baseline again", name, f.Schema, BaselineSchema)
	case resultSchema.MatchString(f.Schema):
		return nil, fmt.Errorf("reading the baseline %s: it is what an audit told, in which names are cut and masked; sandbox-audit baseline write makes a baseline", name)
	case err != nil:
		return nil, fmt.Errorf("reading the baseline %s: %w", name, err)
	case f.Schema != BaselineSchema:
		return nil, fmt.Errorf("reading the baseline %s: it is no file of the form %s; sandbox-audit baseline write makes one", name, BaselineSchema)
	case dec.More():
		return nil, fmt.Errorf("reading the baseline %s: something follows its end", name)
	}
	for i, e := range f.Findings {
		if len(e.Fingerprint) != 32 || e.Rule == "" || e.Count < 1 {
			return nil, fmt.Errorf("reading the baseline %s: its finding %d has no fingerprint, rule or count", name, i+1)
		}
	}
	return &Baseline{Name: name, Entries: f.Findings}, nil
}

// Write writes the file of a baseline: equal ones give equal bytes. Clean makes the
// names of places fit to be kept and printed. A baseline of another image has no file.
func (b *Baseline) Write(w io.Writer, clean func(string) string) error {
	if b.OfImage {
		return errors.New("writing a baseline: it was taken from an image")
	}
	f := baselineFile{Schema: BaselineSchema, Findings: []Recorded{}}
	for _, e := range b.Entries {
		e.Origin, e.Place = clean(e.Origin), clean(e.Place)
		f.Findings = append(f.Findings, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(f)
}

package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// DecodeJSON decodes one JSON document that nobody vouches for into v, as
// encoding/json does: keys match in any case, the last of a repeated one wins.
// The document is first walked token by token, so that its nesting and its
// number of values are known to be in bounds before anything is made for it.
//
// repeated names each key that stands more than once in one object, in any case,
// by its path and quoted: readers of other make may see the other value. It
// fails on what is no JSON, on data behind the document and if v does not fit.
func DecodeJSON(b []byte, lim limits.Limits, v any) (repeated []string, err error) {
	w := jsonWalk{dec: json.NewDecoder(bytes.NewReader(b)), lim: lim}
	w.dec.UseNumber()
	if err := w.document(); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	err = json.Unmarshal(b, v)
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		return w.repeated, fmt.Errorf("reading JSON: the %s at byte %d does not belong there", misfit.Value, misfit.Offset)
	}
	if err != nil {
		return w.repeated, fmt.Errorf("reading JSON: %w", err)
	}
	return w.repeated, nil
}

// A jsonWalk counts the values of a document and looks for repeated keys.
type jsonWalk struct {
	dec      *json.Decoder
	lim      limits.Limits
	values   int
	open     []jsonLevel
	repeated []string
}

// A jsonLevel is an object or array that is not closed yet.
type jsonLevel struct {
	keys    map[string]bool // seen; nil in an array
	exact   bool            // keys are data, told apart by case
	key     string          // the last one
	isValue bool            // the next token of an object is a value
}

// document reads one value with all below it. What follows is left to
// json.Unmarshal, which refuses it.
func (w *jsonWalk) document() error {
	for {
		t, err := w.dec.Token()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if err := w.token(t); err != nil {
			return err
		}
		if len(w.open) == 0 {
			return nil
		}
	}
}

func (w *jsonWalk) token(t json.Token) error {
	if t == json.Delim('}') || t == json.Delim(']') {
		w.open = w.open[:len(w.open)-1]
		return nil
	}
	if n := len(w.open); n > 0 && w.open[n-1].keys != nil {
		if l := &w.open[n-1]; !l.isValue {
			w.key(l, t.(string)) // encoding/json takes no other token here
			return nil
		}
		w.open[n-1].isValue = false
	}
	if w.values++; w.values > w.lim.JSONElements {
		return limitError("values in one document", int64(w.lim.JSONElements), "--max-json-elements")
	}
	switch t {
	case json.Delim('{'):
		w.open = append(w.open, jsonLevel{keys: map[string]bool{}, exact: w.holdsData()})
	case json.Delim('['):
		w.open = append(w.open, jsonLevel{})
	}
	if len(w.open) > w.lim.JSONDepth {
		return limitError("levels in one document", int64(w.lim.JSONDepth), "--max-json-depth")
	}
	return nil
}

func (w *jsonWalk) key(l *jsonLevel, k string) {
	l.key, l.isValue = k, true
	if !l.exact {
		k = foldCase(k)
	}
	if l.keys[k] {
		if p := w.path(); !slices.Contains(w.repeated, p) && len(w.repeated) < maxRepeated {
			w.repeated = append(w.repeated, p)
		}
	}
	l.keys[k] = true
}

// maxRepeated is how many repeated keys are worth naming.
const maxRepeated = 16

// holdsData reports whether the keys of the object that opens now are data, not
// field names (OCI image-spec, annotations.md, and config.md for the others).
func (w *jsonWalk) holdsData() bool {
	if len(w.open) == 0 {
		return false
	}
	switch foldCase(w.open[len(w.open)-1].key) {
	case foldCase("annotations"), foldCase("Labels"), foldCase("ExposedPorts"), foldCase("Volumes"):
		return true
	}
	return false
}

// path is the quoted path of the key just read.
func (w *jsonWalk) path() string {
	var keys []string
	for _, l := range w.open {
		if l.keys != nil {
			keys = append(keys, l.key)
		}
	}
	p := strings.Join(keys, ".")
	return strconv.Quote(p[:min(len(p), 80)])
}

// foldCase maps strings to one that stands for all that encoding/json takes for
// the same key: those equal under Unicode simple case folding.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

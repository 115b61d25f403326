package settings

import (
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// mostErrors is how many errors of one file are told at once.
const mostErrors = 10

// Read reads a configuration; name is what it is called in errors. All errors of the
// file are told, each with its line, joined. No value is quoted that could be more than
// a word.
func Read(name string, text []byte, words Words) (*File, error) {
	f := &File{Path: name, lines: map[string]int{}}
	d := &decoder{name: name, words: words, lines: f.lines}
	root, err := parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", name, err)
	case root == nil:
		return f, nil
	}
	d.value(reflect.ValueOf(f).Elem(), root, field{})
	d.check(f)
	if len(d.errs) > 0 {
		sort.SliceStable(d.errs, func(i, j int) bool { return d.errs[i].line < d.errs[j].line })
		var all []error
		for _, e := range d.errs[:min(len(d.errs), mostErrors)] {
			all = append(all, fmt.Errorf("%s:%d: %s", name, e.line, e.text))
		}
		return nil, errors.Join(all...)
	}
	return f, nil
}

// parse returns the root of the only document; nil if it is empty.
func parse(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("the YAML can't be parsed")
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New(syntax(err))
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one document")
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil, nil
	}
	return doc.Content[0], nil
}

var parserWord = regexp.MustCompile(`^yaml: (line \d+: )?(did not find expected [a-z ',<>-]+|mapping values are not allowed in this context|found character that cannot start any token|found unexpected [a-z ]+|could not find expected [a-z ':]+|block sequence entries are not allowed in this context|found a tab character that violates indentation)`)

// syntax is a parser's error without what it quotes of the file.
func syntax(err error) string {
	if m := parserWord.FindString(err.Error()); m != "" {
		return strings.TrimPrefix(m, "yaml: ")
	}
	return "the YAML can't be parsed"
}

type decoder struct {
	name  string
	words Words
	lines map[string]int
	errs  []lineError
}

type lineError struct {
	line int
	text string
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, lineError{n.Line, fmt.Sprintf(format, args...)})
}

// A field is what the tags say of where a value goes.
type field struct {
	key  string
	enum []string
}

// value fills v with what the node holds, or notes why it can't.
func (d *decoder) value(v reflect.Value, n *yaml.Node, f field) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" {
		d.errorf(n, "%s has no value", f.key)
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		d.date(v, n, f)
	case v.Kind() == reflect.Struct:
		d.structure(v, n, f)
	case v.Kind() == reflect.Map:
		d.mapping(v, n, f)
	case v.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.errorf(n, "%s is no list", f.key)
			return
		}
		for _, c := range n.Content {
			item := reflect.New(v.Type().Elem()).Elem()
			d.value(item, c, f)
			v.Set(reflect.Append(v, item))
		}
	default:
		d.scalar(v, n, f)
	}
}

func (d *decoder) scalar(v reflect.Value, n *yaml.Node, f field) {
	if n.Kind != yaml.ScalarNode {
		d.errorf(n, "%s has more than one value", f.key)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if n.Tag != "!!bool" {
			d.errorf(n, "%s is neither true nor false", f.key)
		}
		v.SetBool(strings.EqualFold(n.Value, "true"))
	case reflect.Int64:
		i, err := strconv.ParseInt(n.Value, 10, 64)
		if err != nil || i < 1 {
			d.errorf(n, "%s is no positive number", f.key)
		}
		v.SetInt(i)
	default:
		if strings.TrimSpace(n.Value) == "" {
			d.errorf(n, "%s is empty", f.key)
		}
		if len(f.enum) > 0 && !slices.Contains(f.enum, n.Value) {
			d.errorf(n, "%s: %s", f.key, unknown(n.Value, "value", f.enum))
		}
		v.SetString(n.Value)
	}
}

func (d *decoder) date(v reflect.Value, n *yaml.Node, f field) {
	t, err := time.Parse(time.DateOnly, n.Value)
	if err != nil {
		d.errorf(n, "%s is no date; write it as 2027-03-01", f.key)
		return
	}
	v.Set(reflect.ValueOf(t))
}

// structure fills a struct by the keys of its fields, and its Line if it has one.
func (d *decoder) structure(v reflect.Value, n *yaml.Node, f field) {
	if line := v.FieldByName("Line"); line.IsValid() {
		line.SetInt(int64(n.Line))
	}
	d.pairs(n, f, keys(v.Type()), func(i int, k, c *yaml.Node) {
		t := v.Type().Field(i)
		if f.key == "" {
			d.lines[k.Value] = k.Line
		}
		d.value(v.Field(i), c, field{k.Value, strings.Fields(t.Tag.Get("enum"))})
	})
}

// keys are the keys of a struct, with the indexes of its fields.
func keys(t reflect.Type) map[string]int {
	all := map[string]int{}
	for i := range t.NumField() {
		if k := t.Field(i).Tag.Get("key"); k != "" && k != "-" {
			all[k] = i
		}
	}
	return all
}

// mapping fills a map whose keys are words that others own.
func (d *decoder) mapping(v reflect.Value, n *yaml.Node, f field) {
	allowed := map[string]int{}
	list := d.words.Rules
	if f.key == "limits" {
		list = d.words.Limits
	}
	for i, w := range list {
		allowed[w] = i
	}
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, f, allowed, func(_ int, k, c *yaml.Node) {
		item := reflect.New(v.Type().Elem()).Elem()
		d.lines[k.Value] = k.Line
		d.value(item, c, field{key: k.Value})
		v.SetMapIndex(reflect.ValueOf(k.Value), item)
	})
}

// pairs calls each for the pairs of a mapping whose keys are known.
func (d *decoder) pairs(n *yaml.Node, f field, known map[string]int, each func(i int, k, v *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "%s is no list of keys and values", orFile(f.key))
		return
	}
	seen := map[string]bool{}
	for j := 0; j+1 < len(n.Content); j += 2 {
		k, c := n.Content[j], n.Content[j+1]
		i, ok := known[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode || !ok:
			var words []string
			for w := range known {
				words = append(words, w)
			}
			slices.Sort(words)
			d.errorf(k, "%s: %s", orFile(f.key), unknown(k.Value, "key", words))
		case seen[k.Value]:
			d.errorf(k, "%s is given twice", k.Value)
		default:
			seen[k.Value] = true
			each(i, k, c)
		}
	}
}

func orFile(key string) string {
	if key == "" {
		return "the configuration"
	}
	return key
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,40}$`)

// unknown says that a word is none of several, and which may have been meant.
func unknown(word, what string, words []string) string {
	text := "there is no such " + what
	if plain.MatchString(word) {
		text = fmt.Sprintf("there is no %s %s", what, word)
	}
	if near := suggest.Nearest(word, words); near != "" {
		return text + "; did you mean " + near + "?"
	}
	if len(words) > 20 {
		return text
	}
	return text + "; one of " + strings.Join(words, ", ")
}

// check looks at what the types do not say.
func (d *decoder) check(f *File) {
	at := func(line int, format string, args ...any) {
		d.errs = append(d.errs, lineError{line, fmt.Sprintf(format, args...)})
	}
	for _, dir := range f.FirstParty {
		if !path.IsAbs(dir) || path.Clean(dir) == "/" {
			at(f.lines["first-party"], "first-party: a directory is not absolute, or is the root of the image")
		}
	}
	for _, name := range f.Forbid {
		if strings.Contains(name, "/") {
			at(f.lines["forbid"], "forbid: a program is named by its file's name, without a directory")
		}
	}
	for id, r := range f.Rules {
		switch other := d.words.otherName(id); {
		case r.Level == "" && r.Disabled == "":
			at(f.lines[id], "%s: give it a level, or say with disabled why it is turned off", id)
		case noReason.MatchString(r.Disabled):
			at(f.lines[id], "%s: disabled is no reason; say why the rule is turned off, or leave it out", id)
		case f.Rules[other].Line > 0 && id < other: // told once
			at(max(f.lines[id], f.lines[other]), "%s: it is given twice, as %s too", id, other)
		}
	}
	for _, i := range f.Ignores {
		switch {
		case i.Rule == "":
			at(i.Line, "ignores: an item names no rule")
		case !slices.ContainsFunc(d.words.Rules, func(w string) bool { return strings.EqualFold(w, i.Rule) }):
			at(i.Line, "ignores: %s", unknown(i.Rule, "rule", d.words.Rules))
		case i.Reason == "" && f.RequireReason:
			at(i.Line, "ignores: an item has no reason, which require-reason asks for")
		case i.Value != "" && !identity.MatchString(i.Value):
			at(i.Line, "ignores: value is no identity of a secret, 64 hexadecimal digits as the report has it; never write a secret here")
		}
	}
}

// noReason is what would have been meant as a switch.
var noReason = regexp.MustCompile(`(?i)^\s*(true|false|yes|no|on|off|y|n|[01])\s*$`)

var identity = regexp.MustCompile(`^[0-9a-f]{64}$`)

package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// kind is what kind of thing a value is.
type kind uint8

const (
	unknownKind kind = iota
	memberKind       // text: an attribute, by name, of something that is not known
	nullKind         // an empty stack slot
	absentKind       // a name that is not bound
	noneKind
	boolKind      // num
	intKind       // num
	stringKind    // text; a str
	bytesKind     // text
	tupleKind     // items
	mapKind       // items: key, value, key, value ...; the content of a dict
	listKind      // num: object; its content is a tuple in the store
	dictKind      // num: object; its content is a map in the store
	setKind       // num: object; its content is a tuple in the store
	sliceKind     // items: start, stop, step
	loopKind      // items: what is left of a for loop's items; it never leaves the stack
	iteratorKind  // num: object; the store holds a tuple of what is left
	externalKind  // text: dotted path outside the program, "os.setuid"; num: its Origin
	functionKind  // function
	methodKind    // items: self, function
	staticKind    // items: function; text: "static", "class" or "property"
	partialKind   // items: callable, args tuple, keywords map
	classKind     // num: object; class
	instanceKind  // num: object; class
	superKind     // items: class, self
	moduleKind    // text: name
	cellKind      // num: object
	codeKind      // code
	frameKind     // frame: a suspended one
	generatorKind // num: object; text: "generator", "coroutine"
	watchedKind   // num: a set of watched variables; the content of a dict that is a copy of the environment
	secretKind    // num: variables of whose values it is made
	settingKind   // text: name of an unwatched environment variable: its value, which is not known
	otherKind     // the name of some environment variable that is not watched; items: the names of those that are
	idKind        // id
	accountKind   // id of the user; text: "passwd" or "group"
	exceptionKind // text: class of the exception, "?" for any; class if it is the program's own
	exitKind      // items: manager; what a with statement calls at its end
	managerKind   // items: generator object; made by contextlib.contextmanager
	factoryKind   // items: function; a function under contextlib.contextmanager
	threadKind    // num: object; items: callable, args tuple, keywords map; text: thread, process, future, task
	fieldKind     // items: default, or factory; text: which; made by dataclasses.field
	resumeKind    // num: where a finally block goes on, -1 for behind it
	countKind     // num: how many objects a place has made
	commandKind   // items: function; num: its identity; made by a third-party module for command lines
	pathKind      // text; a pathlib.Path
	regexKind     // text: the pattern of a compiled regular expression
)

// value is an abstract value. Values with the same hash are the same value.
type value struct {
	kind kind
	num  int64
	text string
	data *data
	hash uint64
}

// data is the part of a value that few have.
type data struct {
	items    []value
	depth    int              // of the items in one another
	secrets  effect.Variables // in any of the items
	function *function
	class    *class
	code     *ir.Code
	frame    *suspended
	id       effect.ID
}

// function is a function of the program. It is immutable.
type function struct {
	code       *ir.Code
	module     string
	defaults   []value
	kwdefaults value // a map, or unknown
	closure    []value
}

// class is a class of the program; its attributes are in the store.
type class struct {
	object int64
	name   string
	module string
	bases  []value
	meta   value // the metaclass that the class statement names, if it is the program's own
	code   *ir.Code
}

// Bounds of values: what is bigger is unknown.
const (
	maxItems = 64   // of one tuple, list or dict
	maxText  = 2048 // bytes of one string
	maxDepth = 12   // of nested tuples
)

var (
	unknown = value{kind: unknownKind, hash: 1}
	null    = simple(nullKind, 0, "")
	absent  = simple(absentKind, 0, "")
	none    = simple(noneKind, 0, "")
)

func simple(k kind, n int64, text string) value {
	h := mix(mix(uint64(k)+2, uint64(n)), hashText(text))
	return value{kind: k, num: n, text: text, hash: h}
}

func boolean(b bool) value {
	if b {
		return simple(boolKind, 1, "")
	}
	return simple(boolKind, 0, "")
}

func integer(n int64) value { return simple(intKind, n, "") }

func text(s string) value {
	if len(s) > maxText {
		return unknown
	}
	return simple(stringKind, 0, s)
}

func external(path string, o Origin) value {
	if len(path) > 200 || strings.Count(path, ".") > 12 {
		return unknown
	}
	return simple(externalKind, int64(o), path)
}

func secret(v effect.Variables) value { return simple(secretKind, int64(v), "") }

func exception(class string) value { return simple(exceptionKind, 0, class) }

// anyException is one of which nothing is known.
var anyException = exception("?")

// holding is a value with items.
func holding(k kind, n int64, s string, items ...value) value {
	v := simple(k, n, s)
	d := &data{items: items}
	for _, x := range items {
		v.hash = mix(v.hash, x.hash^uint64(x.kind)<<56)
		d.secrets |= secretsIn(x)
		if x.data != nil {
			d.depth = max(d.depth, x.data.depth)
		}
	}
	d.depth++
	v.data = d
	return v
}

func tuple(items []value) value {
	if len(items) > maxItems {
		return unknown
	}
	return shallow(holding(tupleKind, int64(len(items)), "", items...))
}

// shallow is v, unless values are nested too deeply in it to be of interest.
func shallow(v value) value {
	if v.data.depth > maxDepth {
		return unknown
	}
	return v
}

func mapping(pairs []value) value {
	if len(pairs) > 2*maxItems {
		return unknown
	}
	return shallow(holding(mapKind, int64(len(pairs)), "", pairs...))
}

func ident(id effect.ID) value {
	v := simple(idKind, id.Num, id.Name)
	v.hash = mix(v.hash, uint64(id.Class)<<1|b2u(id.Known))
	v.data = &data{id: id}
	return v
}

func account(what string, id effect.ID) value {
	v := ident(id)
	v.kind, v.text = accountKind, what
	v.hash = mix(v.hash, hashText(what))
	return v
}

func (v value) items() []value {
	if v.data == nil {
		return nil
	}
	return v.data.items
}

// vague reports whether nothing is known of a value.
func (v value) vague() bool { return v.kind == unknownKind || v.kind == memberKind }

// same reports whether the two are certainly the same value.
func (v value) same(w value) bool { return v.hash == w.hash && v.kind == w.kind }

// named reports whether v is the external of that path.
func (v value) named(path string) bool { return v.kind == externalKind && v.text == path }

func (v value) origin() Origin { return Origin(v.num) }

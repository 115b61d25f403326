package leak

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

func isBytecode(p string) bool { return strings.HasSuffix(p, ".pyc") }

// compiled finds credentials among the constants of bytecode. Each constant is a text
// of its own: in the file, names and constants touch, and what two of them make
// together means nothing.
var compiled = &image.Probe[[]Credential]{
	Name: "compiled-credential", Version: 1,
	Want: func(e image.Entry) bool { return isBytecode(e.Path) },
	Read: func(_ image.Entry, b []byte) ([]Credential, bool) {
		var s sink
		s.bytecode(b)
		return s.kept, len(s.kept) > 0
	},
}

func (s *sink) bytecode(b []byte) {
	f, err := pyc.Read(b, pyc.DefaultLimits())
	if err != nil { // another version of Python: its bytes are all there is
		s.search(image.Window{Bytes: b, To: len(b)}, false)
		return
	}
	w := constants{sink: s, left: maxConstants, seen: map[*pyc.Code]bool{}}
	w.code(f.Code)
}

// maxConstants is how many constants are looked at in one file.
const maxConstants = 200_000

// constants walks what a code object holds.
type constants struct {
	sink *sink
	left int
	seen map[*pyc.Code]bool
}

func (w *constants) code(c *pyc.Code) {
	if w.seen[c] {
		return
	}
	w.seen[c] = true
	for _, v := range c.Constants {
		w.constant(v)
	}
	w.assigned(c)
}

func (w *constants) constant(v pyc.Constant) {
	if w.left--; w.left < 0 {
		return
	}
	switch v := v.(type) {
	case pyc.Text:
		w.text(string(v))
	case pyc.Bytes:
		w.text(string(v))
	case pyc.Tuple:
		w.all(v)
	case pyc.List:
		w.all(v)
	case pyc.Set:
		w.all(v)
	case pyc.Mapping:
		w.all(v)
	case *pyc.Code:
		w.code(v)
	}
}

func (w *constants) all(vs []pyc.Constant) {
	for _, v := range vs {
		w.constant(v)
	}
}

func (w *constants) text(s string) {
	w.sink.search(whole([]byte(s)), false)
}

// assigned judges the constants that code stores under a name, as a module does with
// its settings.
func (w *constants) assigned(c *pyc.Code) {
	if !slices.ContainsFunc(c.Names, mayName) {
		return
	}
	var last pyc.Constant
	for _, in := range c.Instructions() {
		value, ok := last.(pyc.Text)
		last = nil
		switch in.Name {
		case "LOAD_CONST":
			if in.Arg >= 0 && in.Arg < len(c.Constants) {
				last = c.Constants[in.Arg]
			}
		case "STORE_NAME", "STORE_GLOBAL":
			if ok && in.Arg >= 0 && in.Arg < len(c.Names) {
				w.sink.named(c.Names[in.Arg], string(value), 0)
			}
		}
	}
}

// mayName reports whether a name could be a credential's, at little cost.
func mayName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"pass", "pwd", "psw", "pw", "secret", "token", "key", "cred", "auth", "dsn", "url", "uri"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

package source

import (
	"maps"
	"slices"
	"strings"
)

// A scope is where names are bound (Python reference, 4.2, "Naming and binding"): a
// module, a class's body, or a function, a lambda and a comprehension alike.
type scope struct {
	kind     scopeKind
	name     string
	class    string // that names with two leading underscores are private to; "" outside classes
	parent   *scope
	uses     map[string]bool
	binds    map[string]bool
	globals  map[string]bool
	outer    map[string]bool // declared nonlocal
	where    map[string]variable
	cells    map[string]bool // own variables that inner functions use
	free     map[string]bool // variables of functions around it, for itself or for inner ones
	yields   bool
	awaits   bool // or has an asynchronous "for" or "with"
	async    bool // an "async def"
	children []*scope
}

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	classScope
	functionScope
	compScope    // a comprehension
	genericScope // of type parameters
)

// A variable says how a name is reached in a scope.
type variable uint8

const (
	namespace variable = iota // by name: the namespace, then globals
	local
	cell // own or of a function around
	global
	classCell // in a class's body: its namespace, then the cell
)

// classVariable is what the cell is called through which methods reach their class.
const classVariable = "__class__"

func (s *scope) function() bool { return s.kind >= functionScope }

func newScope(kind scopeKind, name string, parent *scope) *scope {
	s := &scope{
		kind: kind, name: name, parent: parent,
		uses: map[string]bool{}, binds: map[string]bool{}, globals: map[string]bool{}, outer: map[string]bool{},
		where: map[string]variable{}, cells: map[string]bool{}, free: map[string]bool{},
	}
	if parent != nil {
		s.class = parent.class
		parent.children = append(parent.children, s)
	}
	return s
}

// mangle returns the name under which a private name is kept (Python reference,
// 6.2.1, "Private name mangling").
func (s *scope) mangle(name string) string {
	class := strings.TrimLeft(s.class, "_")
	if class == "" || !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") || strings.Contains(name, ".") {
		return name
	}
	return "_" + class + name
}

func (s *scope) use(name string) {
	s.uses[s.mangle(name)] = true
	if name == "super" && s.function() { // super() needs the class that it is used in
		s.uses[classVariable] = true
	}
}

func (s *scope) bind(name string) { s.binds[s.mangle(name)] = true }

// resolve decides how each name of s and of the scopes in it is reached. The error
// names what is declared nonlocal and isn't there.
func (s *scope) resolve() (missing string) {
	names := maps.Clone(s.binds)
	maps.Copy(names, s.uses)
	maps.Copy(names, s.globals)
	maps.Copy(names, s.outer)
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if !s.place(n) && s.outer[n] {
			return n
		}
	}
	for _, c := range s.children {
		if missing = c.resolve(); missing != "" {
			return missing
		}
	}
	return ""
}

// place decides how the name n is reached; it is false if no scope around has it.
func (s *scope) place(n string) bool {
	switch {
	case s.globals[n]:
		s.where[n] = global
		return true
	case s.binds[n] && !s.outer[n]:
		if s.function() && s.where[n] != cell {
			s.where[n] = local
		}
		return true
	case s.kind == moduleScope:
		return false
	case s.capture(n):
		s.where[n] = cell
		if s.kind == classScope {
			s.where[n] = classCell
		}
		return true
	case s.function():
		s.where[n] = global
	}
	return false
}

// capture makes n a free variable of s if a function around it binds it.
func (s *scope) capture(n string) bool {
	for o := s.parent; o != nil; o = o.parent {
		switch {
		case o.kind == classScope:
			if n != classVariable {
				continue
			}
		case o.globals[n] || !o.function():
			return false
		case !o.binds[n] || o.outer[n]:
			continue
		}
		o.cells[n] = true
		if o.kind != classScope {
			o.where[n] = cell
		}
		for i := s; i != o; i = i.parent {
			i.free[n] = true
		}
		return true
	}
	return false
}

package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// except does raise and the parts of except clauses.
func (r *run) except(c *control, in *ir.Instr) *control {
	switch in.Op {
	case ir.Raise:
		return r.raiseInstr(c, in)
	case ir.Reraise:
		exc := c.popn(in.Arg)[in.Arg-1]
		return r.raise(c, asException(exc))
	case ir.PushExcInfo:
		exc := c.pop()
		c.push(c.handling, exc)
		c.handling = exc
	case ir.PopExcept:
		c.handling = none
		if slots := c.popn(in.Arg); len(slots) > 0 && slots[len(slots)-1].kind == exceptionKind {
			c.handling = slots[len(slots)-1]
		}
	default:
		class, exc := c.pop(), *c.top(1)
		c.push(asAnswer(c.w.matches(asException(exc), class)))
	}
	return c.next()
}

func asAnswer(a answer) value {
	if a == undecided {
		return unknown
	}
	return boolean(a == yes)
}

func (r *run) raiseInstr(c *control, in *ir.Instr) *control {
	if in.Arg == 0 {
		return r.raise(c, asException(c.handling))
	}
	exc := c.popn(in.Arg)[0]
	return r.raise(c, c.w.thrown(exc))
}

// asException is v if it is an exception, else one of which nothing is known.
func asException(v value) value {
	if v.kind == exceptionKind {
		return v
	}
	return anyException
}

// thrown is the exception that raising v raises: an instance or class of the program's own, or of the builtins.
func (w *world) thrown(v value) value {
	switch v.kind {
	case exceptionKind:
		return v
	case instanceKind, classKind:
		e := simple(exceptionKind, v.num, "")
		e.data = v.data
		e.hash = mix(e.hash, uint64(v.data.class.object))
		return e
	case externalKind:
		name := exceptionName(v.text)
		if _, ok := exceptionParents[name]; ok {
			return exception(name)
		}
	}
	return anyException
}

// exceptionName is the builtin name of an exception class: of "builtins.OSError" or "subprocess.CalledProcessError()".
func exceptionName(path string) string {
	if n := len(path); n > 2 && path[n-2:] == "()" {
		path = path[:n-2]
	}
	const prefix = "builtins."
	if len(path) > len(prefix) && path[:len(prefix)] == prefix {
		path = path[len(prefix):]
	}
	if alias, ok := exceptionAliases[path]; ok {
		return alias
	}
	return path
}

var exceptionAliases = map[string]string{
	"IOError": "OSError", "EnvironmentError": "OSError", "socket.error": "OSError", "os.error": "OSError", "select.error": "OSError",
	"asyncio.CancelledError": "CancelledError", "asyncio.TimeoutError": "TimeoutError", "socket.timeout": "TimeoutError",
	"subprocess.CalledProcessError": "CalledProcessError", "subprocess.TimeoutExpired": "TimeoutExpired",
	"subprocess.SubprocessError": "SubprocessError", "json.JSONDecodeError": "JSONDecodeError", "json.decoder.JSONDecodeError": "JSONDecodeError",
}

// exceptionParents gives each builtin exception's base (docs.python.org/3/library/exceptions.html, "Exception hierarchy").
var exceptionParents = map[string]string{
	"BaseException": "", "SystemExit": "BaseException", "KeyboardInterrupt": "BaseException", "GeneratorExit": "BaseException",
	"CancelledError": "BaseException", "Exception": "BaseException", "StopIteration": "Exception", "StopAsyncIteration": "Exception",
	"ArithmeticError": "Exception", "ZeroDivisionError": "ArithmeticError", "OverflowError": "ArithmeticError", "AssertionError": "Exception",
	"AttributeError": "Exception", "BufferError": "Exception", "EOFError": "Exception", "ImportError": "Exception",
	"ModuleNotFoundError": "ImportError", "LookupError": "Exception", "IndexError": "LookupError", "KeyError": "LookupError",
	"MemoryError": "Exception", "NameError": "Exception", "UnboundLocalError": "NameError", "OSError": "Exception",
	"BlockingIOError": "OSError", "ChildProcessError": "OSError", "ConnectionError": "OSError", "BrokenPipeError": "ConnectionError",
	"ConnectionAbortedError": "ConnectionError", "ConnectionRefusedError": "ConnectionError", "ConnectionResetError": "ConnectionError",
	"FileExistsError": "OSError", "FileNotFoundError": "OSError", "InterruptedError": "OSError", "IsADirectoryError": "OSError",
	"NotADirectoryError": "OSError", "PermissionError": "OSError", "ProcessLookupError": "OSError", "TimeoutError": "OSError",
	"ReferenceError": "Exception", "RuntimeError": "Exception", "NotImplementedError": "RuntimeError", "RecursionError": "RuntimeError",
	"SyntaxError": "Exception", "SystemError": "Exception", "TypeError": "Exception", "ValueError": "Exception",
	"UnicodeError": "ValueError", "UnicodeDecodeError": "UnicodeError", "UnicodeEncodeError": "UnicodeError", "Warning": "Exception",
	"SubprocessError": "Exception", "CalledProcessError": "SubprocessError", "TimeoutExpired": "SubprocessError",
	"JSONDecodeError": "ValueError", "DeprecationWarning": "Warning", "UserWarning": "Warning", "RuntimeWarning": "Warning",
	"ResourceWarning": "Warning", "FutureWarning": "Warning",
}

// matches says whether an except clause for class catches the exception. One of a class may be of any class below it.
func (w *world) matches(exc, class value) answer {
	if class.kind == tupleKind {
		result := no
		for _, k := range class.items() {
			switch w.matches(exc, k) {
			case yes:
				return yes
			case undecided:
				result = undecided
			}
		}
		return result
	}
	if exc.data != nil && exc.data.class != nil {
		return w.matchesOwn(exc, class)
	}
	if class.kind != externalKind {
		return answered(false).unless(class.kind != classKind || exc.text == "?")
	}
	name := exceptionName(class.text)
	switch {
	case name == "BaseException", exc.text == "?" && name == "Exception":
		return yes
	case exc.text == "?":
		return undecided
	case isBelow(exc.text, name):
		return yes
	case isBelow(name, exc.text):
		return undecided
	}
	_, known := exceptionParents[name]
	return no.unless(!known)
}

// unless is a, or undecided if doubtful.
func (a answer) unless(doubtful bool) answer {
	if doubtful {
		return undecided
	}
	return a
}

// matchesOwn is matches for an exception of a class of the program's own.
func (w *world) matchesOwn(exc, class value) answer {
	own := simple(classKind, exc.data.class.object, exc.data.class.name)
	own.data = exc.data
	result := no
	for _, k := range order(own) {
		switch {
		case k.kind == classKind && class.kind == classKind && k.num == class.num:
			return yes
		case k.kind == externalKind && class.kind == externalKind:
			if isBelow(exceptionName(k.text), exceptionName(class.text)) || k.text == class.text {
				return yes
			}
		case k.kind != classKind && k.kind != externalKind:
			result = undecided
		}
	}
	return result
}

// isBelow reports whether the builtin exception is the other one or below it.
func isBelow(name, above string) bool {
	for n := name; n != ""; n = exceptionParents[n] {
		if n == above {
			return true
		}
	}
	return false
}

package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// codeModels are the functions that run code which is not part of the program, or load modules by name.
func codeModels() map[string]model {
	return map[string]model{
		"builtins.exec": runCode, "builtins.eval": runCode, "builtins.compile": compile,
		"code.interact": runUnknown, "code.InteractiveInterpreter().runcode": runUnknown, "code.InteractiveConsole().interact": runUnknown,
		"code.InteractiveConsole().push": runUnknown, "code.InteractiveInterpreter().runsource": runUnknown,
		"importlib.import_module": importCall, "builtins.__import__": importCall, "importlib.__import__": importCall,
		"importlib.reload": reload, "importlib.util.module_from_spec().__loader__.exec_module": runUnknown,
		"importlib.util.spec_from_file_location().loader.exec_module": runUnknown, "importlib.machinery.SourceFileLoader().exec_module": runUnknown,
		"importlib.machinery.SourceFileLoader().load_module": runUnknown, "importlib.util.spec_from_loader().loader.exec_module": runUnknown,
		"runpy.run_module": runModuleCall, "runpy.run_path": runUnknown,
		"unittest.mock.patch": loses, "unittest.mock.patch.object": loses, "unittest.mock.patch.dict": loses,
		"pickle.load": runUnknown, "pickle.loads": runUnknown, "marshal.loads": func(c *call) []outcome { return c.ret(unknown) },
	}
}

// compile gives code that is as known as its source.
func compile(c *call) []outcome {
	src := c.given(0, "source")
	if src.kind == stringKind {
		return c.ret(src)
	}
	return c.mayRaise(unknown, "SyntaxError")
}

// runCode is exec and eval. A text of the program itself is no untrusted code, but is not followed.
func runCode(c *call) []outcome {
	src := c.given(0, "")
	if src.kind == codeKind {
		return c.mayRaise(unknown, "?")
	}
	if src.kind == stringKind {
		if touchesText(src.text) {
			return loses(c)
		}
		return c.mayRaise(unknown, "?")
	}
	return runUnknown(c)
}

// touchesText reports whether a source text names what changes credentials or environment, or runs something.
func touchesText(s string) bool {
	for _, n := range []string{"uid", "gid", "groups", "environ", "putenv", "unsetenv", "import", "exec", "eval", "system", "subprocess", "ctypes"} {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}

// runUnknown runs code that is not part of the program, in this process.
func runUnknown(c *call) []outcome {
	c.note(effect.Effect{Kind: effect.RunCode})
	c.sink(effect.Sink{Kind: effect.CodeSink}, c.w.state)
	c.escape()
	return c.mayRaise(unknown, "?")
}

// importCall is importlib.import_module.
func importCall(c *call) []outcome {
	name := c.given(0, "name")
	if name.kind != stringKind {
		return c.loadUnknown()
	}
	abs := name.text
	if pkg := c.given(1, "package"); strings.HasPrefix(abs, ".") && pkg.kind == stringKind {
		level := len(abs) - len(strings.TrimLeft(abs, "."))
		base := pkg.text
		for range level - 1 {
			base = base[:max(strings.LastIndexByte(base, '.'), 0)]
		}
		abs = strings.Trim(base+"."+abs[level:], ".")
	}
	switch c.f.a.find(abs).Origin {
	case FirstParty, StandardLibrary:
		return c.importModule(abs, c.path != "builtins.__import__", none)
	case ThirdParty:
		if c.w.store.get(nameKey("sys.path", "")).kind == absentKind {
			return c.importModule(abs, c.path != "builtins.__import__", none)
		}
	}
	return c.loadUnknown()
}

// loadUnknown imports a module that is not known to be anyone's.
func (c *call) loadUnknown() []outcome {
	c.note(effect.Effect{Kind: effect.LoadModule})
	c.sink(effect.Sink{Kind: effect.ModuleSink}, c.w.state)
	return c.mayRaise(external("module()", NotKnown), "ImportError")
}

// reload runs a module again; of os it makes a new os.environ, which is not modelled.
func reload(c *call) []outcome {
	if m := c.given(0, ""); m.kind == externalKind && m.origin() == StandardLibrary && m.text != "os" {
		return c.ret(m)
	}
	return loses(c)
}

// runModuleCall is runpy.run_module: the program's own module is followed.
func runModuleCall(c *call) []outcome {
	name := c.given(0, "mod_name")
	if name.kind == stringKind {
		found := c.f.a.find(name.text)
		if found.Package {
			if main := c.f.a.find(name.text + ".__main__"); main.Module != nil {
				found = main
			}
		}
		if found.Origin == FirstParty && found.Module != nil {
			run := c.given(2, "run_name")
			as := name.text
			if run.kind == stringKind {
				as = run.text
			}
			return c.f.a.runModule(as, name.text[:max(strings.LastIndexByte(name.text, '.'), 0)], found.Module, c.w)
		}
	}
	return runUnknown(c)
}

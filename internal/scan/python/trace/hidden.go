package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// mentions says what a code object, with those nested in it, names.
type mentions struct {
	changes bool // something that changes credentials or environment
	runs    bool // something that runs code or programs
}

// changing and running are names by which code gives away what it does.
var (
	changing = setOf("setuid", "setgid", "setgroups", "initgroups", "setresuid", "setresgid", "setreuid", "setregid", "seteuid", "setegid",
		"unsetenv", "putenv", "prctl", "environ", "environb")
	running = setOf("exec", "eval", "system", "popen", "Popen", "check_call", "check_output", "run_module", "run_path", "import_module",
		"execv", "execve", "execvp", "execvpe", "execl", "execlp", "posix_spawn", "spawnv", "spawnve", "fork", "serve_forever", "serve")
)

// touches reports whether a function names what changes credentials or environment.
func (a *analysis) touches(code *ir.Code) bool { return a.all(code).changes }

// all is what a code object, with those nested in it, names.
func (a *analysis) all(code *ir.Code) mentions {
	m, ok := a.mentions[code]
	if !ok {
		m = a.mentioned(code, false)
		a.mentions[code] = m
	}
	return m
}

// reaches is what a function names, and what functions name whose names come up in it, and so on.
func (a *analysis) reaches(code *ir.Code) mentions {
	if m, ok := a.reached[code]; ok {
		return m
	}
	var m mentions
	seen := map[*ir.Code]bool{}
	work := []*ir.Code{code}
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[c] {
			continue
		}
		seen[c] = true
		n := a.all(c)
		m.changes, m.runs = m.changes || n.changes, m.runs || n.runs
		for i := range c.Instrs {
			work = append(work, a.named[c.Instrs[i].Name]...)
		}
	}
	a.reached[code] = m
	return m
}

// reachesAny is what functions of that name reach.
func (a *analysis) reachesAny(name string) mentions {
	var m mentions
	for _, code := range a.named[name] {
		if code.Scope == ir.Function {
			n := a.reaches(code)
			m.changes, m.runs = m.changes || n.changes, m.runs || n.runs
		}
	}
	return m
}

// functions is what functions name by themselves, those that ran too; suspending leaves out all but generators and coroutines.
func (a *analysis) functions(suspending bool) mentions {
	var m mentions
	for code := range a.programs {
		if code.Scope == ir.Function && (!suspending || code.Flow != ir.Plain) {
			n := a.all(code)
			m.changes, m.runs = m.changes || n.changes, m.runs || n.runs
		}
	}
	a.spend(len(a.programs) / 8)
	return m
}

// hidden is what the code names that no path was seen to reach, in the entry module and the other modules that ran.
func (a *analysis) hidden(entry *ir.Code) mentions {
	m := a.mentioned(entry, true)
	for name := range a.files {
		if found := a.known[name]; found.Module != nil {
			n := a.mentioned(found.Module.Code, true)
			m.changes, m.runs = m.changes || n.changes, m.runs || n.runs
		}
	}
	return m
}

// mentioned looks through a code object and those nested in it; unreached leaves out those that ran.
func (a *analysis) mentioned(code *ir.Code, unreached bool) mentions {
	var m mentions
	seen := map[*ir.Code]bool{}
	var walk func(c *ir.Code)
	walk = func(c *ir.Code) {
		if c == nil || seen[c] {
			return
		}
		seen[c] = true
		if !unreached || !a.entered[c] {
			m = m.with(c)
		}
		for _, k := range c.Consts {
			if k.Kind == ir.CodeObject {
				walk(k.Code)
			}
		}
	}
	walk(code)
	return m
}

func (m mentions) with(c *ir.Code) mentions {
	for i := range c.Instrs {
		switch in := &c.Instrs[i]; in.Op {
		case ir.LoadAttr, ir.LoadGlobal, ir.LoadName, ir.ImportFrom, ir.StoreAttr, ir.DeleteAttr, ir.Import:
			name := in.Name[strings.LastIndexByte(in.Name, '.')+1:]
			m.changes = m.changes || changing[name]
			m.runs = m.runs || running[name]
		case ir.LoadConst:
			if k := c.Consts[in.Arg]; k.Kind == ir.Str {
				m.changes = m.changes || changing[k.Text]
			}
		}
	}
	return m
}

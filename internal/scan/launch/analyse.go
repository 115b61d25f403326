package launch

import (
	"fmt"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/lift"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/trace"
)

// analyse interprets a module, and what it imports, as c's process runs it. name is
// that of a module that is imported; empty for a program.
func (t *tracer) analyse(c *call, m imports.Module, in program, name string) effect.Outcome {
	env := map[string]string{}
	for n := range c.vars {
		if text, known, _ := c.vars.getenv(n); known {
			env[n] = text
		}
	}
	key := fmt.Sprint(file(m), m.Member, name, in.modules, in.optimized, in.executable, c.proc.state, env)
	if m.File == nil {
		key += m.Text
	}
	if out, ok := t.analyses[key]; ok {
		return out
	}
	opt := trace.Options{
		Watched: t.watched, Name: name, Package: parent(m.Import), Env: env, Before: in.modules.Customized(in.command),
		User: t.uid, Group: t.gid, Members: t.members, Executable: in.executable,
	}
	var out effect.Outcome
	if entry, why := t.compile(m, in.optimized); entry == nil {
		out.Losses = []effect.Loss{{Place: effect.Place{File: file(m)}, Reason: why}}
		s := c.proc.state
		s.Lost = true
		out.Paths = []effect.Path{{State: s, Sink: effect.Sink{Kind: effect.EndSink, Call: "python", Place: effect.Place{File: file(m)}}}}
	} else {
		out = trace.Analyse(entry, finder{t.system, in}, c.proc.state, opt)
	}
	t.analyses[key] = out
	return out
}

// parent is the package that a module is in.
func parent(name string) string {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)]
}

// A program is one of Python, as it is started.
type program struct {
	command   imports.Command
	modules   *imports.Path
	optimized bool   // assertions are left out
	dir       string // working directory; empty if unknown

	executable string // path of the interpreter; empty if it is not known
}

// A finder finds modules for the interpretation.
type finder struct {
	s *system
	program
}

// Extend puts a directory on the import path.
func (f finder) Extend(dir string, first bool) { f.modules.Add(absolute(f.dir, dir), first) }

// Find finds a module by its absolute name.
func (f finder) Find(name string) trace.Found {
	m := f.modules.Find(name)
	found := trace.Found{Package: m.Package, Reason: m.Why}
	switch m.Status {
	case imports.Standard:
		found.Origin = trace.StandardLibrary
	case imports.Third:
		found.Origin = trace.ThirdParty
	case imports.Absent:
		found.Origin = trace.Absent
	case imports.Own:
		found.Origin = trace.FirstParty
		found.Module, found.Reason = f.s.compile(m, f.optimized)
	default:
		// What the files of a build context don't hold was installed below them.
		if m.File == nil && f.s.base != "" && !strings.Contains(name, ".") {
			found.Origin = trace.ThirdParty
		}
	}
	return found
}

type compiled struct {
	module *ir.Module
	why    string
}

// compile translates a module, or says why it can't.
func (s *system) compile(m imports.Module, optimized bool) (*ir.Module, string) {
	key := fmt.Sprint(file(m), "!", m.Member, optimized)
	if m.File == nil {
		key += m.Text
	}
	done, ok := s.compiled[key]
	if !ok {
		done.module, done.why = translate(m, optimized)
		s.compiled[key] = done
	}
	return done.module, done.why
}

func translate(m imports.Module, optimized bool) (*ir.Module, string) {
	name := file(m)
	if m.Member != "" {
		name = path.Join(name, m.Member)
	}
	if name == "" {
		name = "entrypoint"
	}
	if !m.Compiled {
		out, err := source.Compile(name, []byte(m.Text), source.Options{Limits: source.DefaultLimits(), Optimized: optimized})
		if err != nil {
			return nil, fmt.Sprintf("%s: %v", name, err)
		}
		return out, ""
	}
	f, err := pyc.Read([]byte(m.Text), pyc.DefaultLimits())
	if err != nil {
		return nil, fmt.Sprintf("%s: %v", name, err)
	}
	out, err := lift.Module(f, name, lift.DefaultLimits())
	if err != nil {
		return nil, fmt.Sprintf("%s: %v", name, err)
	}
	return out, ""
}

// uid and the like answer what a program asks about the accounts of the image.
func (s *system) uid(name string) (uid, gid int64, known bool) {
	u := s.user(name)
	return int64(u.UID), int64(u.GID), u.Known && u.GID >= 0
}

func (s *system) gid(name string) (gid int64, known bool) {
	u := s.user("0:" + name)
	return int64(u.GID), u.GID >= 0 && u.Problem == ""
}

func (s *system) members(name string) (gids []int64, known bool) {
	u := s.user(name)
	for _, g := range u.Groups {
		if g.GID < 0 {
			return nil, false
		}
		gids = append(gids, int64(g.GID))
	}
	return gids, u.Exists && u.Unknown == ""
}

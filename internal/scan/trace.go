package scan

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A trace says which instruction made which step of the history. It is computed
// once for a target.
type trace struct {
	img    *image.Image
	build  *dockerfile.Build
	traced []dockerfile.Traced // one per Image.Steps
	whole  bool                // all steps of the Dockerfile are there, so what has none is the base's
	made   []*dockerfile.Instr // one per layer, as the image's provenance says; nil where it does not
}

func newTrace(t Target) *trace {
	tr := &trace{img: t.Image, build: t.Build, traced: make([]dockerfile.Traced, len(t.Image.Steps)), made: t.Made}
	switch {
	case t.Build == nil:
	case t.Image.Predicted:
		tr.whole = true
		for i := range t.Image.BaseSteps {
			tr.traced[i].Instr = t.Build.From
		}
		for i, s := range t.Build.Steps {
			tr.traced[t.Image.BaseSteps+i].Instr = s.Instr
		}
		for i := range tr.traced {
			tr.traced[i].Layer = tr.traced[i].Instr
		}
	default:
		tr.traced, tr.whole = dockerfile.Trace(t.Build, history(t.Image))
	}
	for _, l := range t.Image.Layers {
		if in := tr.attested(l); in != nil && l.Step >= 0 {
			tr.traced[l.Step].Instr = in
		}
	}
	return tr
}

// history is the history of an image, with what its layers hold.
func history(img *image.Image) []dockerfile.History {
	out := make([]dockerfile.History, len(img.Steps))
	for i, h := range img.Config.History {
		out[i] = dockerfile.History{CreatedBy: h.CreatedBy, Comment: h.Comment, Empty: h.EmptyLayer}
		if l := img.Steps[i].Layer; l != nil {
			out[i].Holds = holds(l)
		}
	}
	return out
}

// holds tells whether a layer has a file of some name. Whiteouts are no files.
func holds(l *image.Layer) func(name string) bool {
	names := sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool, len(l.Files))
		for _, f := range l.Files {
			set[path.Base(f.Path)] = true
		}
		return set
	})
	return func(name string) bool { return names()[name] }
}

func (t *trace) attested(l *image.Layer) *dockerfile.Instr {
	if l.Index >= len(t.made) {
		return nil
	}
	return t.made[l.Index]
}

func (t *trace) span(step int) dockerfile.Span {
	if step < 0 || step >= len(t.traced) || t.traced[step].Instr == nil {
		return dockerfile.Span{}
	}
	return t.traced[step].Instr.Span
}

// maker is the instruction that brought the files of a layer, or changed them;
// nil if unknown.
func (t *trace) maker(l *image.Layer) *dockerfile.Instr {
	if t.build != nil && t.img.Predicted && l.Step < t.img.BaseSteps {
		return t.build.From // the base brought it
	}
	if in := t.attested(l); in != nil || l.Step < 0 || l.Step >= len(t.traced) {
		return in
	}
	return t.traced[l.Step].Layer
}

// beside reports whether a file may be a directory that a WORKDIR made in a layer
// of another instruction.
func (t *trace) beside(f *image.File) bool {
	l := f.Layer
	if !f.Mode.IsDir() || t.attested(l) != nil || l.Step < 0 || l.Step >= len(t.traced) {
		return false
	}
	return len(t.traced[l.Step].Beside) > 0
}

// setter is the Dockerfile instruction that set a config field.
func (t *trace) setter(field string) *dockerfile.Instr {
	b := t.build
	if b == nil {
		return nil
	}
	kind, name, _ := strings.Cut(field, ".")
	switch kind {
	case "User":
		return instrOf(b.User)
	case "WorkingDir":
		return instrOf(b.WorkingDir)
	case "Entrypoint":
		return commandOf(b.Entrypoint)
	case "Cmd":
		return commandOf(b.Cmd)
	case "Healthcheck":
		return commandOf(b.Health)
	case "Env":
		return named(b.Env, name)
	case "Args":
		return named(b.Args, name)
	case "Labels":
		return named(b.Labels, name)
	case "ExposedPorts":
		return exposing(b.Expose, name)
	case "Volumes":
		return valued(b.Volumes, name)
	case "OnBuild":
		return valued(b.OnBuild, name)
	}
	return nil
}

func instrOf(s *dockerfile.Setting) *dockerfile.Instr {
	if s == nil {
		return nil
	}
	return s.Instr
}

func commandOf(c *dockerfile.Command) *dockerfile.Instr {
	if c == nil {
		return nil
	}
	return c.Instr
}

func named(ss []dockerfile.Setting, name string) (in *dockerfile.Instr) {
	for _, s := range ss {
		if s.Name == name {
			in = s.Instr
		}
	}
	return in
}

func valued(ss []dockerfile.Setting, value string) (in *dockerfile.Instr) {
	for _, s := range ss {
		if s.Value == value {
			in = s.Instr
		}
	}
	return in
}

// exposing finds the EXPOSE of a port, which may have named a range.
func exposing(ss []dockerfile.Setting, port string) (in *dockerfile.Instr) {
	for _, s := range ss {
		if covers(s.Value, port) {
			in = s.Instr
		}
	}
	return in
}

// covers reports whether a port or range holds another.
func covers(ports, port string) bool {
	first, last, proto, ok := dockerfile.PortRange(ports)
	lo, hi, want, ok2 := dockerfile.PortRange(port)
	return ok && ok2 && proto == want && first <= lo && hi <= last
}

// agrees reports whether what a Dockerfile sets is what the image has: it may have
// been built from another version of it.
func (t *trace) agrees(field string) bool {
	if t.img.Predicted {
		return true
	}
	c, b := &t.img.Config, t.build
	kind, name, _ := strings.Cut(field, ".")
	switch kind {
	case "User":
		return same(b.User, c.User)
	case "WorkingDir":
		return same(b.WorkingDir, c.WorkingDir)
	case "Entrypoint":
		return slices.Equal(b.Entrypoint.Argv(), c.Entrypoint)
	case "Cmd":
		return slices.Equal(b.Cmd.Argv(), c.Cmd)
	case "Env":
		i := slices.IndexFunc(b.Env, func(s dockerfile.Setting) bool { return s.Name == name })
		value, ok := c.Getenv(name)
		return !ok || i < 0 || same(&b.Env[i], value)
	}
	return true
}

// same reports whether a setting can have given a value.
func same(s *dockerfile.Setting, value string) bool { return s == nil || !s.Known || s.Value == value }

// inherited reports whether a step is the base image's, as far as can be told; -1
// stands for a setting of which no step tells.
func (t *trace) inherited(step int) bool {
	return step < 0 || t.whole && t.traced[step].Instr == nil
}

// step is the last history entry that set a config field, or -1.
func (t *trace) step(field string) int {
	kind, name, _ := strings.Cut(field, ".")
	cmd := map[string]string{
		"User": "USER", "WorkingDir": "WORKDIR", "Entrypoint": "ENTRYPOINT", "Cmd": "CMD", "Healthcheck": "HEALTHCHECK",
		"Env": "ENV", "Labels": "LABEL", "ExposedPorts": "EXPOSE", "Volumes": "VOLUME", "OnBuild": "ONBUILD",
	}[kind]
	for i := len(t.img.Steps) - 1; i >= 0; i-- {
		by, args := instruction(t.img.Steps[i].CreatedBy)
		if by == cmd && (name == "" || names(kind, args, name)) {
			return i
		}
	}
	return -1
}

// instruction takes a history entry apart. Builders that ran every instruction
// as a command recorded it behind "/bin/sh -c #(nop)".
func instruction(createdBy string) (cmd, args string) {
	s := strings.TrimSpace(createdBy)
	if _, nop, ok := strings.Cut(s, "#(nop)"); ok {
		s = strings.TrimSpace(nop)
	}
	cmd, args, _ = strings.Cut(s, " ")
	return strings.ToUpper(cmd), strings.TrimSpace(strings.TrimSuffix(args, "# buildkit"))
}

// names reports whether the arguments of an instruction set the named one.
func names(kind, args, name string) bool {
	switch kind {
	case "Env", "Labels":
		return strings.HasPrefix(args, name+"=") || strings.HasPrefix(args, name+" ") || strings.Contains(args, " "+name+"=")
	case "ExposedPorts":
		return slices.ContainsFunc(strings.Fields(strings.Trim(args, "[]")), func(w string) bool { return covers(w, name) })
	}
	return strings.Contains(args, name)
}

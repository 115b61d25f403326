package scan

import (
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A trace says which instruction made which step of the history. It is computed
// once for a target.
type trace struct {
	img   *image.Image
	build *dockerfile.Build
	instr []*dockerfile.Instr // one per Image.Steps; nil where unknown
}

func newTrace(t Target) *trace {
	tr := &trace{img: t.Image, build: t.Build, instr: make([]*dockerfile.Instr, len(t.Image.Steps))}
	switch {
	case t.Build == nil:
	case t.Image.Predicted:
		for i, s := range t.Build.Steps {
			tr.instr[i] = s.Instr
		}
	default:
		history := make([]dockerfile.History, len(t.Image.Config.History))
		for i, h := range t.Image.Config.History {
			history[i] = dockerfile.History{CreatedBy: h.CreatedBy, Empty: h.EmptyLayer}
		}
		tr.instr = dockerfile.Trace(t.Build, history)
	}
	return tr
}

func (t *trace) span(step int) dockerfile.Span {
	if step < 0 || step >= len(t.instr) || t.instr[step] == nil {
		return dockerfile.Span{}
	}
	return t.instr[step].Span
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

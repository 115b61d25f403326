package dockerfile

import (
	"path"
	"regexp"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

func setting(name, value string, in *Instr) *Setting {
	return &Setting{Name: name, Value: plain(value), Known: isKnown(value), Instr: in}
}

// put replaces the setting of the same name, or adds it. kind tells the lists apart.
func (e *evaluator) put(kind string, all *[]Setting, s Setting) {
	key := kind + " " + s.Name
	if i, ok := e.at[key]; ok {
		(*all)[i] = s
		return
	}
	e.at[key] = len(*all)
	*all = append(*all, s)
}

// setEnv evaluates an ENV. Its pairs do not see each other.
func (e *evaluator) setEnv(c *instructions.EnvCommand, in *Instr) []string {
	var out, values []string
	for _, kv := range c.Env {
		values = append(values, e.word(kv.Key), e.word(kv.Value))
	}
	for i := 0; i < len(values); i += 2 {
		name, value := plain(values[i]), values[i+1]
		e.set(name, value)
		e.env[name] = value
		s := *setting(name, value, in)
		e.b.AllEnv = append(e.b.AllEnv, s)
		e.put("ENV", &e.b.Env, s)
		out = append(out, values[i]+"="+value)
	}
	return out
}

// args evaluates an ARG: what is given counts before its default, and that
// before the value of the same name before the first FROM (buildkit,
// dockerfile2llb, dispatchArg).
func (e *evaluator) args(c *instructions.ArgCommand, in *Instr, globals *scope) []string {
	var out []string
	for _, a := range c.Args {
		value, set := e.given[a.Key]
		switch {
		case set:
		case a.Value != nil:
			value, set = e.word(*a.Value), true
		case globals != nil:
			value, set = globals.vars[a.Key]
		}
		if !set {
			e.b.Args = append(e.b.Args, Setting{Name: a.Key, Instr: in})
			out = append(out, a.Key)
			continue
		}
		e.set(a.Key, value)
		if _, ok := e.env[a.Key]; ok {
			e.shadowed = append(e.shadowed, a.Key)
		}
		e.b.Args = append(e.b.Args, *setting(a.Key, value, in))
		out = append(out, a.Key+"="+value)
	}
	return out
}

func (e *evaluator) labels(c *instructions.LabelCommand, in *Instr) []string {
	var out []string
	for _, l := range c.Labels {
		name, value := e.word(l.Key), e.word(l.Value)
		e.put("LABEL", &e.b.Labels, *setting(plain(name), value, in))
		out = append(out, name+"="+value)
	}
	return out
}

var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// workdir changes the working directory. It is unknown if it is relative to one
// that the base decides.
func (e *evaluator) workdir(p string, in *Instr) string {
	dir := e.word(p)
	switch {
	case drive.MatchString(dir):
	case path.IsAbs(dir):
		dir = path.Clean(dir)
	case e.dir == "":
		e.b.WorkingDir = &Setting{Value: plain(dir), Instr: in}
		return dir
	default:
		dir = path.Join(e.dir, dir)
	}
	e.b.WorkingDir = setting("", dir, in)
	if e.dir = ""; isKnown(dir) {
		e.dir = dir
	}
	return dir
}

// paths returns the sources, heredocs as "<<name", and the destination.
func (e *evaluator) paths(c instructions.SourcesAndDest) []string {
	var out []string
	for _, p := range c.SourcePaths {
		out = append(out, e.word(p))
	}
	for _, h := range c.SourceContents {
		out = append(out, "<<"+h.Path)
	}
	return append(out, e.word(c.DestPath))
}

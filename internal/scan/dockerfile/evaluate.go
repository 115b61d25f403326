package dockerfile

import (
	"fmt"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// defaultPath is the PATH of a stage whose base has none (buildkit,
// util/system, DefaultPathEnvUnix).
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Build evaluates the stage of that name or number, the last one if target is
// empty, with the given build arguments. BUILDPLATFORM and TARGETPLATFORM may be
// among them and are linux/amd64 otherwise.
func (f *File) Build(target string, args map[string]string) (*Build, error) {
	return f.BuildOn(target, args, BaseImages{})
}

// BuildOn is Build with external images that were read.
func (f *File) BuildOn(target string, args map[string]string, images BaseImages) (*Build, error) {
	t, err := f.target(target)
	if err != nil {
		return nil, err
	}
	b := &Build{File: f, Target: t, given: args, images: images}
	e := &evaluator{b: b, given: args, shell: []string{"/bin/sh", "-c"}, at: map[string]int{}, env: map[string]string{}}
	e.global()
	for _, s := range f.Stages {
		b.bases = append(b.bases, b.globals.word(s.Base))
	}
	stages, base := b.chain(t)
	b.Chain, b.From = stages, stages[0].From
	b.Base, b.BaseKnown = plain(base), isKnown(base) && base != ""
	e.scope = b.globals.inner()
	e.vars, e.last = map[string]string{}, nil
	if img := images.of(b.Base); base == "scratch" {
		e.dir = "/"
		e.set("PATH", defaultPath)
	} else if img != nil && b.BaseKnown {
		e.inherit(img)
	}
	var parent *Stage
	for _, s := range stages {
		e.stage(s, parent)
		parent = s
	}
	if e.spent > maxSpent {
		return nil, fmt.Errorf("evaluating %s: expanding its variables takes over %d bytes", f.Path, maxSpent)
	}
	b.Unused = b.unused()
	return b, nil
}

// An evaluator runs the instructions of a chain over a Build.
type evaluator struct {
	*scope
	b      *Build
	given  map[string]string
	dir    string // empty if the base decides
	user   string // of the base; empty if it does not say, or was not read
	shell  []string
	now    *Stage
	cmdSet bool // by the current stage

	env      map[string]string // what ENV set, with marks
	shadowed []string          // names in env that an ARG of the current stage took
	at       map[string]int    // where put left a setting
}

// global evaluates the ARGs before the first FROM. They see the platform
// arguments and each other (buildkit, dockerfile2llb, defaultArgs and buildMetaArgs).
func (e *evaluator) global() {
	f := e.b.File
	e.scope = &scope{vars: map[string]string{}, escape: f.escape, depth: f.lim.SubstitutionDepth}
	for _, side := range []string{"BUILD", "TARGET"} {
		platform := "linux/amd64"
		if p, ok := e.given[side+"PLATFORM"]; ok {
			platform = p
		}
		parts := append(strings.SplitN(platform, "/", 3), "", "")
		for i, v := range []string{platform, parts[0], "", parts[1], parts[2]} {
			name := side + [...]string{"PLATFORM", "OS", "OSVERSION", "ARCH", "VARIANT"}[i]
			if g, ok := e.given[name]; ok {
				v = g
			}
			e.set(name, v)
		}
	}
	stage := e.b.Target.Name
	if stage == "" {
		stage = "default"
	}
	e.set("TARGETSTAGE", stage)
	for _, in := range f.Globals {
		if c, ok := in.form.(*instructions.ArgCommand); ok {
			e.args(c, in, nil)
		}
	}
	e.b.globals = e.scope
}

// stage runs the triggers that s inherits and then its own instructions. ENV of
// the stages before counts again over their ARGs (buildkit, dockerfile2llb,
// dispatchStages).
func (e *evaluator) stage(s *Stage, parent *Stage) {
	e.now, e.cmdSet, e.b.OnBuild = s, false, nil
	for _, name := range e.shadowed {
		e.set(name, e.env[name])
	}
	e.shadowed = nil
	if parent == nil {
		for _, in := range e.b.inherited() {
			e.run(in)
		}
	} else {
		for _, in := range parent.Instrs {
			if in.Trigger != nil {
				e.run(in.Trigger)
			}
		}
	}
	for _, in := range s.Instrs {
		e.run(in)
	}
}

// run evaluates one instruction and records it as a step.
func (e *evaluator) run(in *Instr) {
	s := &Step{Instr: in, Stage: e.now, User: e.user, Dir: e.dir, Shell: e.shell, last: e.last}
	if u := e.b.User; u != nil {
		s.User = u.Value
	}
	s.marked = e.apply(in)
	switch c := in.form.(type) {
	case *instructions.RunCommand:
		s.mounts = e.mountPoints(in)
	case *instructions.CopyCommand:
		s.owner, s.mode, s.bodies = e.word(c.Chown), e.word(c.Chmod), e.bodies(c.SourceContents)
	case *instructions.AddCommand:
		s.owner, s.mode, s.bodies = e.word(c.Chown), e.word(c.Chmod), e.bodies(c.SourceContents)
	}
	s.Known = true
	for _, a := range s.marked {
		s.Args = append(s.Args, plain(a))
		s.Known = s.Known && isKnown(a)
	}
	if in.Cmd == "WORKDIR" {
		s.Dir = e.dir
	}
	e.b.Steps = append(e.b.Steps, s)
}

// apply does what an instruction does to the config and the variables, and
// returns its expanded words.
func (e *evaluator) apply(in *Instr) []string {
	b := e.b
	switch c := in.form.(type) {
	case *instructions.EnvCommand:
		return e.setEnv(c, in)
	case *instructions.ArgCommand:
		return e.args(c, in, b.globals)
	case *instructions.LabelCommand:
		return e.labels(c, in)
	case *instructions.UserCommand:
		user := e.word(c.User)
		b.User = setting("", user, in)
		return []string{user}
	case *instructions.WorkdirCommand:
		return []string{e.workdir(c.Path, in)}
	case *instructions.ExposeCommand:
		return e.expose(c, in)
	case *instructions.VolumeCommand:
		var out []string
		for _, v := range c.Volumes {
			v = e.word(v)
			out = append(out, v)
			e.put("VOLUME", &b.Volumes, *setting(plain(v), v, in))
		}
		return out
	case *instructions.CopyCommand:
		return e.paths(c.SourcesAndDest)
	case *instructions.AddCommand:
		return e.paths(c.SourcesAndDest)
	case *instructions.StopSignalCommand:
		return []string{e.word(c.Signal)}
	case *instructions.RunCommand:
		return runText(c.ShellDependantCmdLine)
	case *instructions.OnbuildCommand:
		b.OnBuild = append(b.OnBuild, Setting{Value: c.Expression, Known: true, Instr: in})
		return []string{c.Expression}
	}
	e.command(in)
	return in.Args
}

// command applies the instructions that say what a container executes.
func (e *evaluator) command(in *Instr) {
	b := e.b
	cmd := func(c instructions.ShellDependantCmdLine) *Command {
		return &Command{Args: c.CmdLine, Exec: !c.PrependShell, Shell: e.shell, Instr: in}
	}
	switch c := in.form.(type) {
	case *instructions.CmdCommand:
		b.Cmd, e.cmdSet = cmd(c.ShellDependantCmdLine), true
	case *instructions.EntrypointCommand:
		b.Entrypoint = cmd(c.ShellDependantCmdLine)
		if !e.cmdSet {
			b.Cmd = nil
		}
	case *instructions.HealthCheckCommand:
		b.Health = &Command{Args: c.Health.Test, Exec: true, Shell: e.shell, Instr: in}
	case *instructions.ShellCommand:
		b.Shell = &Command{Args: c.Shell, Exec: true, Shell: c.Shell, Instr: in}
		e.shell = c.Shell
	}
}

// bodies expands the heredocs of a COPY or ADD whose tags are not quoted.
func (e *evaluator) bodies(contents []instructions.SourceContent) []string {
	var out []string
	for _, c := range contents {
		if c.Expand {
			c.Data = e.body(c.Data)
		}
		out = append(out, c.Data)
	}
	return out
}

package dockerfile

import "path"

// A Build is one target stage, evaluated: what its instructions and those of the
// stages it is based on say, with variables expanded.
type Build struct {
	File   *File
	Target *Stage
	Chain  []*Stage // the stages the target is made of: the root first, the target last
	// Base is the external image at the root of the chain, expanded; "scratch"
	// stands for none. BaseKnown is false if a variable in it has no value.
	Base      string
	BaseKnown bool
	From      *Instr // the FROM of Base
	// Image is what Base stands for; nil if that was not read.
	Image *BaseImage
	Steps []*Step // instructions of the whole chain, root stage first, FROMs left out

	// What the instructions leave in the image config, last one wins as in
	// BuildKit. What none of them sets is the base's and not here, with one
	// exception: an Entrypoint without a Cmd takes the base's Cmd away.
	User       *Setting // nil if no instruction sets it
	WorkingDir *Setting // absolute, or unknown
	Entrypoint *Command // nil if no instruction sets it
	Cmd        *Command
	Health     *Command  // Args is the config's Test: "CMD" or "CMD-SHELL" and the command, or "NONE"
	Shell      *Command  // Args is the prefix of shell forms
	Env        []Setting // one per name, in the order of first definition, last value
	AllEnv     []Setting // every pair of every ENV, in order: history keeps what a later one overwrites
	Args       []Setting // the globals and every ARG of the chain, with the value given or its default; unknown without either
	Labels     []Setting // one per name, last value
	Expose     []Setting // Name is the word as written, Value "port/proto" or "first-last/proto"
	Volumes    []Setting
	OnBuild    []Setting // Value is the trigger; of the target stage only
	Unused     []*Stage  // stages the target does not need, directly or through COPY --from and RUN --mount

	globals *scope
	bases   []string // of File.Stages, expanded, with marks: a Build is read by many at once
	given   map[string]string
	images  BaseImages
}

// A Setting is a named value and the instruction that gave it.
type Setting struct {
	Name  string
	Value string // expanded as far as it is known
	Known bool   // every variable in it had a value
	Instr *Instr
}

// A Command is an ENTRYPOINT, CMD, SHELL or HEALTHCHECK.
type Command struct {
	Args  []string // exec form: the words; shell form: the single command text
	Exec  bool
	Shell []string // the shell in force; it runs the shell form
	Instr *Instr
}

// Argv is what the engine executes: the words of the exec form, or the shell with
// the text of the shell form.
func (c *Command) Argv() []string {
	if c == nil || c.Exec {
		return c.args()
	}
	return append(append([]string(nil), c.Shell...), c.Args...)
}

func (c *Command) args() []string {
	if c == nil {
		return nil
	}
	return c.Args
}

// A Step is one instruction of the chain with what is in force when it runs. An
// ONBUILD of a stage gives a step to the stage based on it.
type Step struct {
	Instr *Instr
	Stage *Stage   // in which it runs
	Args  []string // expanded where BuildKit expands; a RUN's heredocs are part of its text
	Known bool     // every variable in Args had a value
	User  string   // empty if the base decides
	Dir   string   // working directory, absolute; empty if the base decides
	Shell []string

	marked []string // Args with marks
	last   *binding
	owner  string   // of --chown, with marks
	mode   string   // of --chmod, with marks
	bodies []string // of the heredocs of a COPY or ADD, with marks
	mounts []string // where a RUN has something mounted
}

// Getenv returns the value that a variable has for the step's command. A variable
// that is not set may still be set by the base image, unless that is scratch.
func (s *Step) Getenv(name string) (value string, known, set bool) {
	for b := s.last; b != nil; b = b.prev {
		if b.name == name {
			return plain(b.value), isKnown(b.value), true
		}
	}
	return "", false, false
}

// MakesLayer reports whether BuildKit records a layer for the step.
func (s *Step) MakesLayer() bool {
	switch s.Instr.Cmd {
	case "RUN", "COPY", "ADD":
		return true
	case "WORKDIR":
		return s.Dir != "/"
	}
	return false
}

// abs returns p as the step's command sees it. A base that has not set a working
// directory has "/", which stands for one that is not known.
func (s *Step) abs(p string) string {
	if path.IsAbs(p) || drive.MatchString(p) {
		return path.Clean(p)
	}
	return path.Join("/", s.Dir, p)
}

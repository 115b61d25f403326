package trace

import (
	"cmp"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// Budgets, if Options give none. A step is one instruction or an amount of other work that costs about as much.
const (
	defaultSteps = 300_000
	defaultPaths = 400
	maxCalls     = 48 // nested calls of the program's functions
	maxRecursion = 2  // nested calls of the same function
	maxOutcomes  = 24 // of one call, before they are joined
	maxLosses    = 50
)

// analysis is one run of Analyse.
type analysis struct {
	entry   *ir.Module
	modules Modules
	options Options
	models  map[string]model
	methods map[string]model

	known    map[string]Found  // modules that were asked for
	files    map[string]string // of modules that ran
	certain  map[string]bool   // modules of the standard library that are always there
	programs map[*ir.Code]*program
	named    map[string][]*ir.Code // the code objects made ready, by their names
	entered  map[*ir.Code]bool     // which code ran on some path
	escaped  bool                  // a function that changes credentials or environment was handed to code that is not followed
	memo     map[callKey][]outcome
	states   map[effect.State]int
	reached  map[*ir.Code]mentions
	mentions map[*ir.Code]mentions
	active   map[*ir.Code]int
	calls    int // nested calls at present

	steps, limit int
	exhausted    bool
	paths        []found
	seenPaths    map[pathKey]bool
	losses       []effect.Loss
	loaded       []string // files of modules that ran when root was not given up yet
	late         []effect.Import
	seenLosses   map[effect.Loss]bool
}

// found is a path that may still turn out to be lost.
type found struct {
	path  effect.Path
	doubt doubt
}

// Analyse follows the entry module from the start state. entry must have passed ir.Validate.
func Analyse(entry *ir.Module, modules Modules, start effect.State, options Options) effect.Outcome {
	a := &analysis{
		entry: entry, modules: modules, options: options, limit: cmp.Or(options.Steps, defaultSteps),
		known: map[string]Found{}, files: map[string]string{}, certain: alwaysThere(), programs: map[*ir.Code]*program{}, named: map[string][]*ir.Code{}, entered: map[*ir.Code]bool{}, memo: map[callKey][]outcome{}, states: map[effect.State]int{}, reached: map[*ir.Code]mentions{}, mentions: map[*ir.Code]mentions{}, active: map[*ir.Code]int{},
		seenPaths: map[pathKey]bool{}, seenLosses: map[effect.Loss]bool{},
	}
	a.options.Watched = options.Watched[:min(len(options.Watched), 64)]
	a.options.MaxPaths = cmp.Or(options.MaxPaths, defaultPaths)
	a.options.Name = cmp.Or(options.Name, "__main__")
	a.models, a.methods = models(), methods()
	w := world{a: a, state: start}
	w = w.with(nameKey(a.options.Name, "#loaded"), none)
	for _, o := range a.runProgram(entry, w) {
		if o.how == returned || o.how == raised && o.val.text == "SystemExit" && !o.w.guessed {
			a.end(entry, o.w)
		} else if o.how == raised && !o.w.guessed {
			if tooLate(o.w.past) {
				ended := o.w
				ended.state.DropFailed = false // it did not go on
				a.end(entry, ended)
			}
			a.outermost(entry, o.w).hook()
		}
	}
	return a.outcome(entry)
}

// tooLate reports whether a program has come to a call for the gid or the groups that fails because
// it gave up the uid before. That it ends there is not meant, and how it would end says what is wrong.
func tooLate(past *effect.History) bool {
	late, down := false, false
	for _, e := range past.Effects() {
		switch e.Kind {
		case effect.SetUID:
			down = down || !e.Failed
		case effect.SetGID, effect.SetGroups:
			late = down && e.Failed
		}
	}
	return late
}

// outermost is a call by the interpreter itself.
func (a *analysis) outermost(entry *ir.Module, w world) *call {
	f := &frame{a: a, prog: a.link(entry.Code), fn: &function{code: entry.Code, module: a.options.Name}, file: entry.File}
	return &call{f: f, w: w}
}

// runProgram runs what comes before the entry module, and that. What the interpreter imports by itself may fail without ending the program.
func (a *analysis) runProgram(entry *ir.Module, w world) []outcome {
	c := a.outermost(entry, w)
	outs := c.ret(none)
	for _, name := range a.options.Before {
		outs = c.after(outs, func(c *call, _ value) []outcome {
			loaded := c.importModule(name, true, none)
			for i := range loaded {
				if loaded[i].how == raised && loaded[i].val.text != "SystemExit" {
					loaded[i].how = returned
				}
			}
			return loaded
		})
	}
	return c.after(outs, func(c *call, _ value) []outcome { return a.runModule(a.options.Name, a.options.Package, entry, c.w) })
}

// hook calls what the program has put in the place of sys.excepthook, for an exception that nothing catches.
func (c *call) hook() {
	if fn := c.w.store.get(nameKey("external:sys", "excepthook")); fn.callee() != nil {
		c.on(unknown, unknown, unknown).to(fn)
	}
}

// end runs what was left for the program's end, and notes the state in which it ends.
func (a *analysis) end(entry *ir.Module, w world) {
	c := a.outermost(entry, w)
	for _, o := range c.runDeferred() {
		c.w = o.w
		c.sink(effect.Sink{Kind: effect.EndSink, Call: "end of the program"}, o.w.state)
	}
}

// outcome settles which paths are lost and puts all in order.
func (a *analysis) outcome(entry *ir.Module) effect.Outcome {
	hidden, functions := a.hidden(entry.Code), a.functions(false)
	out := effect.Outcome{Watched: a.options.Watched, Losses: a.losses, Complete: !a.exhausted, Steps: a.steps}
	for _, f := range a.paths {
		if f.doubt.any && (hidden.changes || a.escaped) || f.doubt.privileged && functions.runs {
			f.path.State.Lost = true
			a.lose(f.doubt.place, "calls something that is not known, and it may be what changes credentials or runs code")
		}
		out.Paths = append(out.Paths, f.path)
	}
	a.returned(out.Paths)
	out.Losses, out.Loaded = a.losses, a.loaded
	out.Late = slices.DeleteFunc(a.late, func(i effect.Import) bool { return slices.Contains(a.loaded, i.File) })
	slices.SortStableFunc(out.Paths, func(p, q effect.Path) int { return comparePlaces(p.Sink.Place, q.Sink.Place) })
	slices.SortStableFunc(out.Losses, func(l, m effect.Loss) int { return comparePlaces(l.Place, m.Place) })
	return out
}

func comparePlaces(p, q effect.Place) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Function, q.Function))
}

// lose notes that the analysis lost track.
func (a *analysis) lose(at effect.Place, reason string) {
	l := effect.Loss{Place: at, Reason: reason}
	if !a.seenLosses[l] && len(a.losses) < maxLosses {
		a.seenLosses[l] = true
		a.losses = append(a.losses, l)
	}
}

// spend takes n steps from the budget, and reports whether there is some left.
func (a *analysis) spend(n int) bool {
	a.steps += n
	if a.steps > a.limit {
		a.exhausted = true
	}
	return !a.exhausted
}

// variants is how many states are kept apart at one place: as many as a loop over constants has rounds, fewer where there is no such loop, and
// fewer still as the budget shrinks.
func (a *analysis) variants(unrolled bool) int {
	switch used := a.steps * 8 / a.limit; {
	case used < 3 && unrolled:
		return maxItems + 8
	case used < 3:
		return 8
	case used < 5:
		return 4
	}
	return 2
}

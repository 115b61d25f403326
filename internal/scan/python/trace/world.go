package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/effect"

// world is all that a step can change outside its own frame.
type world struct {
	a       *analysis
	state   effect.State
	store   store
	past    *effect.History
	doubt   doubt
	guessed bool // an exception that an unknown call may raise led here
}

// doubt says that something was called that is not known: that matters if there is code that no path was seen to reach.
type doubt struct {
	any        bool
	privileged bool // when root was not given up yet
	place      effect.Place
}

// worldKey tells worlds apart. How a world came about does not count.
type worldKey struct {
	state                    int // its number, see analysis.number
	store                    uint64
	any, privileged, guessed bool
}

func (w *world) key() worldKey {
	return worldKey{w.a.number(w.state), w.store.hash, w.doubt.any, w.doubt.privileged, w.guessed}
}

// number numbers the states that came up, so that they are compared quickly.
func (a *analysis) number(s effect.State) int {
	n, ok := a.states[s]
	if !ok {
		n = len(a.states)
		a.states[s] = n
	}
	return n
}

// stateKey is key without the store: worlds that differ in nothing else can be joined.
func (w *world) stateKey() worldKey {
	k := w.key()
	k.store = 0
	return k
}

// with is the world with a key of the store set.
func (w world) with(k uint64, v value) world {
	w.store = w.store.set(k, v)
	return w
}

// mostObjects is how many objects that one place makes are told apart: as many as a loop that is unrolled makes.
const mostObjects = maxItems + 8

// fresh makes the identity of a new object: the place where it is made, and how many that place has made. ok is false when there are so many
// that they are not told apart any more; whatever is stored there is not to be trusted.
func (w *world) fresh(place int64) (id int64, ok bool) {
	k := key(place, "#count")
	n := w.store.get(k)
	if n.kind == countKind && n.num >= mostObjects {
		return int64(mix(uint64(place), mostObjects)), false
	}
	w.store = w.store.set(k, simple(countKind, countOf(n)+1, ""))
	return int64(mix(uint64(place), uint64(countOf(n)))), true
}

// content is what the store holds of an object.
func (w *world) content(object int64) value {
	if v := w.store.get(key(object, "#content")); v.kind != absentKind {
		return v
	}
	return unknown
}

func (w *world) setContent(object int64, v value) {
	w.store = w.store.set(key(object, "#content"), v)
}

// ending is how a piece of the program ends.
type ending uint8

const (
	returned ending = iota
	raised          // val is the exception
	yielded         // rest goes on
	exited          // the process is no more, or is another program
)

// outcome is one way in which a call, or a part of an expression, ends.
type outcome struct {
	how  ending
	val  value
	w    world
	rest *suspended
}

// outcomeKey tells outcomes apart.
type outcomeKey struct {
	how  ending
	val  uint64
	rest uint64
	w    worldKey
}

func (o *outcome) key() outcomeKey {
	k := outcomeKey{o.how, o.val.hash, 0, o.w.key()}
	if o.rest != nil {
		k.rest = o.rest.hash
	}
	return k
}

// gather keeps outcomes apart as long as there are few of them, and joins those that end alike in the same state when there are many.
type gather struct {
	a    *analysis
	list []outcome
	seen map[outcomeKey]bool
	most int // how many may be kept apart: doubled if that many are left when they have been joined
}

func (g *gather) add(o outcome) {
	if g.seen == nil {
		g.seen = map[outcomeKey]bool{}
	}
	if k := o.key(); !g.seen[k] {
		g.seen[k] = true
		g.list = append(g.list, o)
	}
	if len(g.list) > max(g.most, maxOutcomes) {
		g.join()
		g.most = 2 * len(g.list)
	}
}

func (g *gather) join() {
	type class struct {
		how  ending
		rest uint64
		kind kind // of exceptions, their class decides where they go
		text string
		w    worldKey
	}
	at := map[class]int{}
	var list []outcome
	for _, o := range g.list {
		c := class{how: o.how, w: o.w.stateKey()}
		if o.how == raised {
			c.kind, c.text = o.val.kind, o.val.text
		}
		if o.rest != nil {
			c.rest = o.rest.hash
		}
		i, ok := at[c]
		if !ok {
			at[c] = len(list)
			list = append(list, o)
			continue
		}
		list[i].val = meet(list[i].val, o.val)
		list[i].w.store = list[i].w.store.join(o.w.store, g.a)
	}
	g.list, g.seen = list, map[outcomeKey]bool{}
	for i := range list {
		g.seen[list[i].key()] = true
	}
}

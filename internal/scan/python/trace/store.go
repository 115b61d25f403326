package trace

import (
	"math/bits"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// store is a persistent map from keys to values: module globals, attributes, cells, contents of lists and dicts. Setting a key shares all
// else with the old store. It is a hash array mapped trie; keys are told apart by their 64-bit hash alone.
type store struct {
	root *trie
	hash uint64 // of the whole content, whatever the order in which it came
}

type trie struct {
	bitmap uint32
	slots  []slot
}

// slot is a leaf (node is nil) or a subtree.
type slot struct {
	key  uint64
	val  value
	node *trie
}

const trieBits = 5

// key is the key of a name of an object.
func key(object int64, name string) uint64 { return mix(uint64(object)+7, hashText(name)) }

// nameKey is the key of a name in the namespace of a module.
func nameKey(module, name string) uint64 { return mix(hashText(module)+3, hashText(name)) }

func leafHash(k uint64, v value) uint64 { return mix(k, v.hash) }

// get is the value of the key, absent if there is none.
func (s store) get(k uint64) value {
	t, shift := s.root, uint(0)
	for t != nil {
		bit := uint32(1) << (k >> shift & 31)
		if t.bitmap&bit == 0 {
			return absent
		}
		e := &t.slots[bits.OnesCount32(t.bitmap&(bit-1))]
		if e.node == nil {
			if e.key == k {
				return e.val
			}
			return absent
		}
		t, shift = e.node, shift+trieBits
	}
	return absent
}

// set is the store with the key set.
func (s store) set(k uint64, v value) store {
	old := s.get(k)
	if old.same(v) {
		return s
	}
	if old.kind != absentKind {
		s.hash ^= leafHash(k, old)
	}
	s.hash ^= leafHash(k, v)
	s.root = s.root.with(k, v, 0)
	return s
}

func (t *trie) with(k uint64, v value, shift uint) *trie {
	bit := uint32(1) << (k >> shift & 31)
	if t == nil {
		return &trie{bit, []slot{{key: k, val: v}}}
	}
	i := bits.OnesCount32(t.bitmap & (bit - 1))
	if t.bitmap&bit == 0 {
		n := &trie{t.bitmap | bit, make([]slot, len(t.slots)+1)}
		copy(n.slots, t.slots[:i])
		n.slots[i] = slot{key: k, val: v}
		copy(n.slots[i+1:], t.slots[i:])
		return n
	}
	n := &trie{t.bitmap, append([]slot(nil), t.slots...)}
	switch e := &n.slots[i]; {
	case e.node != nil:
		e.node = e.node.with(k, v, shift+trieBits)
	case e.key == k:
		e.val = v
	default: // two keys share the slot; 64 bits of hash last for 13 levels
		sub := (*trie)(nil).with(e.key, e.val, shift+trieBits)
		*e = slot{node: sub.with(k, v, shift+trieBits)}
	}
	return n
}

// join is the store of which only that is known which is known of both.
func (s store) join(other store, a *analysis) store {
	if s.hash == other.hash {
		return s
	}
	out, nodes := s, 0
	differ(s.root, other.root, 0, &nodes, func(k uint64, x, y value) {
		if met := meet(x, y); met.kind != unknownKind || !a.harmless(x) || !a.harmless(y) {
			out = out.set(k, met)
		} else {
			out = out.set(k, simple(watchedKind, 0, ""))
		}
	})
	a.spend(nodes / 4)
	return out
}

// harmless reports whether the content of a dict can be an environment in which no watched variable is.
func (a *analysis) harmless(content value) bool {
	if content.kind == watchedKind {
		return content.num == 0
	}
	if content.kind != mapKind || content.data.secrets != 0 {
		return false
	}
	for i, v := range content.items() {
		if i%2 == 0 && (v.kind != stringKind || a.variable(v) != 0) || i%2 == 1 && v.callee() != nil {
			return false
		}
	}
	return true
}

// meet is what is known of a value that is a or b.
func meet(a, b value) value {
	switch {
	case a.same(b):
		return a
	case a.kind == countKind || b.kind == countKind:
		return simple(countKind, mostObjects, "") // from here on what the place makes is not told apart: so loops come to an end
	case a.kind == watchedKind && b.kind == watchedKind:
		return simple(watchedKind, a.num|b.num, "")
	case a.kind == secretKind && b.kind == secretKind:
		return simple(secretKind, a.num|b.num, "")
	case positive(a) && positive(b):
		return ident(effect.ID{Class: effect.User})
	}
	return unknown
}

func countOf(v value) int64 {
	if v.kind == countKind {
		return v.num
	}
	return 0
}

// positive reports whether a value is a number above 0.
func positive(v value) bool {
	return v.kind == intKind && v.num > 0 || v.kind == idKind && v.data.id.Class == effect.User
}

// differ calls f for each key whose values differ, absent for one that is missing.
func differ(a, b *trie, shift uint, cost *int, f func(k uint64, a, b value)) {
	if a == b {
		return
	}
	*cost++
	if shift > 60 {
		return
	}
	for i := range uint(32) {
		x, y := a.at(i), b.at(i)
		switch {
		case x == nil && y == nil:
		case x != nil && y != nil && x.node != nil && y.node != nil:
			differ(x.node, y.node, shift+trieBits, cost, f)
		case x != nil && y != nil && x.node == nil && y.node == nil && x.key == y.key:
			if !x.val.same(y.val) {
				f(x.key, x.val, y.val)
			}
		default:
			differ(x.lift(shift+trieBits), y.lift(shift+trieBits), shift+trieBits, cost, f)
		}
	}
}

func (t *trie) at(i uint) *slot {
	if t == nil || t.bitmap&(1<<i) == 0 {
		return nil
	}
	return &t.slots[bits.OnesCount32(t.bitmap&(1<<i-1))]
}

// lift is the slot as a trie of the level below.
func (e *slot) lift(shift uint) *trie {
	switch {
	case e == nil:
		return nil
	case e.node != nil:
		return e.node
	}
	return (*trie)(nil).with(e.key, e.val, shift)
}

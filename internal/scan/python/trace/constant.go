package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// constant is the value of a constant of the program; budget bounds the walk over what references share.
func (a *analysis) constant(k ir.Const, budget *int) value {
	if *budget--; *budget < 0 {
		return unknown
	}
	switch k.Kind {
	case ir.None:
		return none
	case ir.Bool:
		return boolean(k.Int != 0)
	case ir.Int:
		return integer(k.Int)
	case ir.Big:
		return ident(effect.ID{Class: effect.User})
	case ir.Str:
		return text(k.Text)
	case ir.Bytes:
		if len(k.Text) <= maxText {
			return simple(bytesKind, 0, k.Text)
		}
	case ir.Tuple, ir.FrozenSet:
		if len(k.Items) > maxItems {
			return unknown
		}
		items := make([]value, len(k.Items))
		for i := range items {
			items[i] = a.constant(k.Items[i], budget)
		}
		return tuple(items)
	case ir.CodeObject:
		v := simple(codeKind, a.link(k.Code).id, "")
		v.data = &data{code: k.Code}
		return v
	}
	return unknown
}

// mix joins two hashes (the finalizer of splitmix64).
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func hashText(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h, uint64(len(s)))
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

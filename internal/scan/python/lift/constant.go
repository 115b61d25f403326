package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// constants translates the constants of a code object, or those in a tuple or set,
// with all that is in them.
func (t *translator) constants(items []pyc.Constant, inner bool) []ir.Const {
	t.left.Nesting--
	defer func() { t.left.Nesting++ }()
	if t.left.Constants -= len(items); t.left.Constants < 0 || t.left.Nesting < 0 {
		t.fail(ErrLimit)
	}
	if t.err != nil {
		return nil
	}
	out := make([]ir.Const, len(items))
	for i, k := range items {
		if c, ok := k.(*pyc.Code); ok && !inner { // no compiler puts code in a tuple
			out[i] = ir.Const{Kind: ir.CodeObject, Code: t.code(c)}
		} else {
			out[i] = t.constant(k)
		}
	}
	return out
}

func (t *translator) constant(k pyc.Constant) ir.Const {
	switch k := k.(type) {
	case nil:
		return ir.Const{Kind: ir.None}
	case bool:
		if k {
			return ir.Const{Kind: ir.Bool, Int: 1}
		}
		return ir.Const{Kind: ir.Bool}
	case int64:
		return ir.Const{Kind: ir.Int, Int: k}
	case pyc.Long:
		return ir.Const{Kind: ir.Big}
	case pyc.Text:
		return ir.Const{Kind: ir.Str, Text: string(k)}
	case pyc.Bytes:
		return ir.Const{Kind: ir.Bytes, Text: string(k)}
	case pyc.Tuple:
		return ir.Const{Kind: ir.Tuple, Items: t.constants(k, true)}
	case pyc.Set:
		return ir.Const{Kind: ir.FrozenSet, Items: t.constants(k, true)}
	}
	return ir.Const{Kind: ir.Other}
}

package lift

import (
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
)

// trim leaves out what does nothing or is never reached, in c and the code objects in
// it: the rest of loops that became one instruction, room that was not needed. All
// must have passed ir.Validate; after that, they have to again.
func trim(c *ir.Code) {
	at := make([]int, len(c.Instrs)+1) // where each instruction moves
	kept := 0
	for i := range c.Instrs {
		at[i] = kept
		if c.Depth(i) >= 0 && c.Instrs[i].Op != ir.Nop {
			kept++
		}
	}
	at[len(c.Instrs)] = kept
	out := make([]ir.Instr, 0, kept)
	for i, in := range c.Instrs {
		if at[i+1] == at[i] {
			continue
		}
		if in.Op.Jumps() {
			in.Arg = at[in.Arg]
		}
		out = append(out, in)
	}
	c.Instrs = out
	for i := range c.Ranges {
		r := &c.Ranges[i]
		r.Start, r.End, r.Target = at[r.Start], at[r.End], at[r.Target]
	}
	c.Ranges = slices.DeleteFunc(c.Ranges, func(r ir.Range) bool { return r.Start >= r.End })
	for _, k := range c.Consts {
		if k.Kind == ir.CodeObject {
			trim(k.Code)
		}
	}
}

package trace

import "github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"

// program is a code object made ready to run.
type program struct {
	id      int64
	code    *ir.Code
	consts  []value
	locals  map[string]int // slot of each fast local
	slots   []int          // of the local that each instruction names
	leaders []bool         // instructions where paths meet
	cells   map[string]int // index into a frame's cells: own ones, then free ones
}

const maxConstNodes = 4096 // of one code object's constants, shared ones counted each time

// link makes a code object ready, once.
func (a *analysis) link(code *ir.Code) *program {
	if p := a.programs[code]; p != nil {
		return p
	}
	p := &program{
		id: int64(len(a.programs) + 1), code: code, locals: map[string]int{}, cells: map[string]int{},
		slots: make([]int, len(code.Instrs)), leaders: make([]bool, len(code.Instrs)),
	}
	a.programs[code] = p
	clear(a.reached) // more code may be reached now
	a.named[code.Name] = append(a.named[code.Name], code)
	for _, name := range code.Params {
		p.slot(name)
	}
	for _, names := range [][]string{code.Cells, code.Free} {
		for _, name := range names {
			p.cells[name] = len(p.cells)
		}
	}
	for i := range code.Instrs {
		switch in := &code.Instrs[i]; in.Op {
		case ir.LoadLocal, ir.TakeLocal, ir.StoreLocal, ir.DeleteLocal:
			p.slots[i] = p.slot(in.Name)
		default:
			if in.Op.Jumps() {
				p.lead(in.Arg)
				p.lead(i + 1)
			}
		}
	}
	for _, r := range code.Ranges {
		p.lead(r.Target)
	}
	budget := maxConstNodes
	for _, k := range code.Consts {
		p.consts = append(p.consts, a.constant(k, &budget))
	}
	return p
}

func (p *program) slot(name string) int {
	if _, ok := p.locals[name]; !ok {
		p.locals[name] = len(p.locals)
	}
	return p.locals[name]
}

func (p *program) lead(i int) {
	if i < len(p.leaders) {
		p.leaders[i] = true
	}
}

package pyc

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed opcodes.txt
var opcodeTable string

// An opcode is what one version makes of the first byte of an instruction.
type opcode struct {
	name     string // as the opcode module has it; "<37>" if it has none
	argument bool   // the second byte counts
	caches   int    // inline cache units, of two bytes each, that follow
}

// opcodes returns the opcodes of each version.
var opcodes = sync.OnceValue(func() map[Version]*[256]opcode {
	all := map[Version]*[256]opcode{}
	for v := Oldest; v <= Newest; v++ {
		all[v] = unnamed(v)
	}
	for line := range strings.Lines(opcodeTable) {
		f := strings.Fields(line)
		if f[0] == "#" || f[0] == "name" {
			continue
		}
		for i, cell := range f[1:] {
			if cell == "-" {
				continue
			}
			number, caches, _ := strings.Cut(cell, ":")
			number, argument := strings.CutSuffix(number, "a")
			n, _ := strconv.Atoi(number)
			c, _ := strconv.Atoi(caches) // none is 0
			all[Oldest+Version(i)][n] = opcode{f[0], argument, c}
		}
	}
	return all
})

// unnamed returns the opcodes of a version before any has a name. Up to Python 3.11
// the number alone says whether there is an argument.
func unnamed(v Version) *[256]opcode {
	const haveArgument = 90
	var ops [256]opcode
	for n := range ops {
		ops[n] = opcode{name: "<" + strconv.Itoa(n) + ">", argument: v < 12 && n >= haveArgument}
	}
	return &ops
}

// Opcodes returns the names of the instructions of a version, by their number;
// those that have none are left out.
func (v Version) Opcodes() []string {
	var names []string
	if ops := opcodes()[v]; ops != nil {
		for _, op := range ops {
			if op.name[0] != '<' {
				names = append(names, op.name)
			}
		}
	}
	return names
}

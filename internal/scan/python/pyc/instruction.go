package pyc

// An Instruction is one instruction with the prefixes that extend its argument.
type Instruction struct {
	Start       int // offset in bytes of its first prefix, or its own
	Offset      int // its own, as dis shows it
	Next        int // where the next one begins, behind the inline caches
	Name        string
	Arg         int // 0 if it has none
	HasArgument bool
}

// extended is the prefix that holds higher bytes of the next argument.
const extended = "EXTENDED_ARG"

// Instructions decodes the code as the dis module does; prefixes and inline caches
// are part of the instruction that they belong to. The number of a name that the
// version does not have stands in angle brackets.
func (c *Code) Instructions() []Instruction {
	ops := opcodes()[c.Version]
	if ops == nil {
		return nil
	}
	var out []Instruction
	start, high := 0, 0
	for i := 0; i+1 < len(c.Bytecode); {
		op := &ops[c.Bytecode[i]]
		arg := 0
		if op.argument {
			arg = int(int32(uint32(high) | uint32(c.Bytecode[i+1])))
		}
		next := min(i+2+2*op.caches, len(c.Bytecode))
		if op.name == extended {
			high, i = arg<<8, next
			continue
		}
		out = append(out, Instruction{start, i, next, op.name, arg, op.argument})
		start, high, i = next, 0, next
	}
	return out
}

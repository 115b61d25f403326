package ir

import "math/bits"

// stackEffect of the operations whose effect is the same whatever their operands: the values they need and the change they make.
var stackEffect = map[Op][2]int{
	Nop: {0, 0}, Pop: {1, -1}, Null: {0, 1}, LoadConst: {0, 1},
	LoadLocal: {0, 1}, StoreLocal: {1, -1}, DeleteLocal: {0, 0}, TakeLocal: {0, 1}, LoadCell: {0, 1}, StoreCell: {1, -1}, DeleteCell: {0, 0},
	LoadClosure: {0, 1}, LoadClassCell: {0, 1}, LoadName: {0, 1}, StoreName: {1, -1}, DeleteName: {0, 0},
	LoadGlobal: {0, 1}, StoreGlobal: {1, -1}, DeleteGlobal: {0, 0}, LoadBuiltin: {0, 1},
	LoadAttr: {1, 0}, StoreAttr: {2, -2}, DeleteAttr: {1, -1}, LoadSuperAttr: {3, -2},
	LoadItem: {2, -1}, StoreItem: {3, -3}, DeleteItem: {2, -2},
	Unary: {1, 0}, Binary: {2, -1}, Compare: {2, -1}, ToBool: {1, 0}, ListToTuple: {1, 0},
	Jump: {0, 0}, JumpIfTrue: {1, -1}, JumpIfFalse: {1, -1}, JumpIfNone: {1, -1}, JumpIfNotNone: {1, -1},
	JumpTrueOrPop: {1, -1}, JumpFalseOrPop: {1, -1}, GetIter: {1, 0}, ForIter: {1, 1}, GetAIter: {1, 0}, GetANext: {1, 1},
	SetFunctionAttribute: {2, -1}, LoadBuildClass: {0, 1}, Import: {2, -1}, ImportFrom: {1, 1}, ImportStar: {1, -1},
	Return: {1, -1}, Yield: {1, 0}, YieldFrom: {1, 0}, Await: {1, 0}, With: {1, 1}, PushExcInfo: {1, 1}, MatchException: {2, 0},
	BeginFinally: {0, 6}, CallFinally: {0, 6}, EndFinally: {6, -6}, WithCleanupStart: {7, 1}, WithCleanupFinish: {8, -2},
}

// Effect is how many values the instruction needs on the stack, and by how many it makes the stack grow when control goes on to the next one.
func (in *Instr) Effect() (need, change int) {
	if e, ok := stackEffect[in.Op]; ok {
		return e[0], e[1]
	}
	n := in.Arg
	switch in.Op {
	case Lost, Opaque:
		return n, in.Arg2 - n
	case Copy:
		return n, 1
	case Swap, Rot:
		return n, 0
	case BuildSlice, BuildTuple, BuildList, BuildSet, BuildString, BuildUnpack:
		return n, 1 - n
	case BuildMap:
		return 2 * n, 1 - 2*n
	case BuildConstMap:
		return n + 1, -n
	case Format:
		return max(n, 1), 1 - max(n, 1)
	case ListAppend, SetAdd, ListExtend, SetUpdate, DictUpdate:
		return n + 1, -1
	case MapAdd:
		return n + 2, -2
	case Unpack:
		return 1, n - 1
	case UnpackEx:
		return 1, n + in.Arg2
	case Call, CallEx, MakeFunction:
		pops := in.callSlots()
		return pops, 1 - pops
	case WithExcept:
		return n, 1
	case Raise, Reraise, EndAsyncFor, PopExcept:
		return n, -n
	case PopFinally:
		return 6 + min(n, 1), -6
	}
	return 0, 0
}

// callSlots is how many values a call or MakeFunction pops.
func (in *Instr) callSlots() int {
	if in.Op == MakeFunction {
		return 1 + bits.OnesCount(uint(in.Arg&(Defaults|KwDefaults|Annotations|Closure)))
	}
	n := 1
	if in.Op == Call {
		n += in.Arg
	} else {
		n++
	}
	for _, flag := range []int{Pair, NamesOnStack, Keywords} {
		if in.Arg2&flag != 0 {
			n++
		}
	}
	return n
}

// JumpEffect is by how many values the stack grows when the instruction jumps to Arg.
func (in *Instr) JumpEffect() int { return in.jumpChange() }

// jumpChange is by how many values the stack grows when the instruction jumps.
func (in *Instr) jumpChange() int {
	switch in.Op {
	case JumpIfTrue, JumpIfFalse, JumpIfNone, JumpIfNotNone, ForIter:
		return -1
	case CallFinally:
		return 6
	}
	return 0
}

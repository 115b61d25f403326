package lift

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/ir"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python/pyc"
)

// buildOperations make, fill and take apart collections and texts.
var buildOperations = map[string]translation{
	"BUILD_TUPLE": counted(ir.BuildTuple), "BUILD_LIST": counted(ir.BuildList), "BUILD_SET": counted(ir.BuildSet), "BUILD_MAP": counted(ir.BuildMap),
	"BUILD_CONST_KEY_MAP": counted(ir.BuildConstMap), "BUILD_STRING": counted(ir.BuildString), "BUILD_SLICE": counted(ir.BuildSlice),
	"BUILD_TUPLE_UNPACK": unpackInto("tuple"), "BUILD_TUPLE_UNPACK_WITH_CALL": unpackInto("tuple"), "BUILD_LIST_UNPACK": unpackInto("list"),
	"BUILD_SET_UNPACK": unpackInto("set"), "BUILD_MAP_UNPACK": unpackInto("map"), "BUILD_MAP_UNPACK_WITH_CALL": unpackInto("map"),
	"LIST_APPEND": counted(ir.ListAppend), "SET_ADD": counted(ir.SetAdd), "MAP_ADD": counted(ir.MapAdd), "LIST_EXTEND": counted(ir.ListExtend),
	"SET_UPDATE": counted(ir.SetUpdate), "DICT_UPDATE": counted(ir.DictUpdate), "DICT_MERGE": counted(ir.DictUpdate), "LIST_TO_TUPLE": plainly(ir.ListToTuple),
	"UNPACK_SEQUENCE": counted(ir.Unpack),
	"UNPACK_EX": func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.UnpackEx, Arg: in.Arg & 0xff, Arg2: in.Arg >> 8})
	},

	"FORMAT_VALUE": func(b *body, in pyc.Instruction) {
		const hasSpec = 4
		b.emit(ir.Instr{Op: ir.Format, Arg: 1 + in.Arg&hasSpec/hasSpec})
	},
	"FORMAT_SIMPLE": fixed(ir.Instr{Op: ir.Format, Arg: 1}), "CONVERT_VALUE": fixed(ir.Instr{Op: ir.Format, Arg: 1}),
	"FORMAT_WITH_SPEC": fixed(ir.Instr{Op: ir.Format, Arg: 2}),
	"BUILD_INTERPOLATION": func(b *body, in pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.Opaque, Arg: 2 + in.Arg&1, Arg2: 1})
	},
	"BUILD_TEMPLATE": opaque(2, 1),

	"COPY_DICT_WITHOUT_KEYS": opaque(1, 1), "GET_LEN": opaque(0, 1), "MATCH_MAPPING": opaque(0, 1), "MATCH_SEQUENCE": opaque(0, 1),
	"MATCH_KEYS": func(b *body, _ pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.Opaque, Arg2: matched(b.version)})
	},
	"MATCH_CLASS": func(b *body, _ pyc.Instruction) {
		b.emit(ir.Instr{Op: ir.Opaque, Arg: 3, Arg2: matched(b.version)})
	},
}

// matched is how many values the match of a pattern gives: what was found, and up to
// Python 3.10 whether it was.
func matched(v pyc.Version) int {
	if v < 11 {
		return 2
	}
	return 1
}

func unpackInto(kind string) translation {
	return func(b *body, in pyc.Instruction) { b.emit(ir.Instr{Op: ir.BuildUnpack, Arg: in.Arg, Name: kind}) }
}

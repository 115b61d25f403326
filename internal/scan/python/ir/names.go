package ir

// opNames are the names of the operations, for printing.
var opNames = [opCount]string{
	Nop: "nop", Lost: "lost", Opaque: "opaque", Pop: "pop", Copy: "copy", Swap: "swap", Rot: "rot", Null: "null", LoadConst: "const",
	LoadLocal: "load local", StoreLocal: "store local", DeleteLocal: "delete local", TakeLocal: "take local",
	LoadCell: "load cell", StoreCell: "store cell", DeleteCell: "delete cell", LoadClosure: "load closure", LoadClassCell: "load class cell",
	LoadName: "load name", StoreName: "store name", DeleteName: "delete name",
	LoadGlobal: "load global", StoreGlobal: "store global", DeleteGlobal: "delete global", LoadBuiltin: "load builtin",
	LoadAttr: "load attribute", StoreAttr: "store attribute", DeleteAttr: "delete attribute", LoadSuperAttr: "load super attribute",
	LoadItem: "load item", StoreItem: "store item", DeleteItem: "delete item", BuildSlice: "slice",
	Unary: "unary", Binary: "binary", Compare: "compare", ToBool: "bool",
	BuildTuple: "tuple", BuildList: "list", BuildSet: "set", BuildMap: "map", BuildConstMap: "map of constant keys",
	BuildString: "string", Format: "format", BuildUnpack: "unpack into", ListAppend: "append to list", SetAdd: "add to set",
	MapAdd: "add to map", ListExtend: "extend list", SetUpdate: "update set", DictUpdate: "update map", ListToTuple: "list to tuple",
	Unpack: "unpack", UnpackEx: "unpack with rest",
	Jump: "jump", JumpIfTrue: "jump if true", JumpIfFalse: "jump if false", JumpIfNone: "jump if none", JumpIfNotNone: "jump if not none",
	JumpTrueOrPop: "jump if true or pop", JumpFalseOrPop: "jump if false or pop",
	GetIter: "iterate", ForIter: "next or jump", GetAIter: "iterate async", GetANext: "next async", EndAsyncFor: "end async for",
	Call: "call", CallEx: "call with star", MakeFunction: "function", SetFunctionAttribute: "set function attribute",
	LoadBuildClass: "build class", Import: "import", ImportFrom: "import from", ImportStar: "import star",
	Return: "return", Yield: "yield", YieldFrom: "yield from", Await: "await", With: "with", WithExcept: "exit with exception",
	Raise: "raise", Reraise: "raise again", PushExcInfo: "push exception", PopExcept: "pop exception", MatchException: "match exception",
	BeginFinally: "begin finally", CallFinally: "call finally", EndFinally: "end finally", PopFinally: "pop finally",
	WithCleanupStart: "start with cleanup", WithCleanupFinish: "finish with cleanup",
}

// String is the operation's name.
func (o Op) String() string {
	if o < opCount {
		return opNames[o]
	}
	return "?"
}

// Jumps reports whether Arg is the index of an instruction.
func (o Op) Jumps() bool {
	switch o {
	case Jump, JumpIfTrue, JumpIfFalse, JumpIfNone, JumpIfNotNone, JumpTrueOrPop, JumpFalseOrPop, ForIter, CallFinally:
		return true
	}
	return false
}

// Ends reports whether control never goes on to the next instruction. It does after CallFinally, by way of EndFinally.
func (o Op) Ends() bool {
	return o == Jump || o == Return || o == Raise || o == Reraise || o == CallFinally
}

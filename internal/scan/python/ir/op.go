package ir

// Op is an operation. Stack pictures are written with the top of the stack at the right, as in CPython's documentation of dis.
type Op uint8

// The operations.
const (
	Nop Op = iota

	// Lost is a construct the front end does not understand and that may do anything: pops Arg values, pushes Arg2 unknown ones; the
	// analysis loses track here. Name says what it is.
	Lost
	// Opaque is a construct without effect on credentials, environment or control flow whose value does not matter: pops Arg, pushes Arg2.
	Opaque

	Pop       // x ->
	Copy      // pushes a copy of the Arg-th value from the top (1 is the top itself)
	Swap      // swaps the top with the Arg-th value from the top (2 is the one below)
	Rot       // moves the top down to become the Arg-th value from the top (ROT_TWO is 2, ROT_THREE 3)
	Null      // pushes an empty slot (PUSH_NULL, the second slot of LOAD_METHOD)
	LoadConst // pushes Consts[Arg]

	LoadLocal  // Name: a fast local
	StoreLocal // x -> ; an empty slot (Null) leaves the local unbound
	DeleteLocal
	TakeLocal // pushes what the local holds, an empty slot if it is unbound, and leaves it unbound (comprehensions since 3.12; StoreLocal brings it back)
	LoadCell  // Name: the content of a cell or free variable
	StoreCell
	DeleteCell
	LoadClosure   // Name: the cell itself, for MakeFunction
	LoadClassCell // Name: the class's namespace first, then the cell (LOAD_CLASSDEREF, LOAD_FROM_DICT_OR_DEREF without its dict)
	LoadName      // Name: namespace, globals, builtins
	StoreName
	DeleteName
	LoadGlobal // Name: globals, builtins
	StoreGlobal
	DeleteGlobal
	LoadBuiltin // Name: the builtin, whatever the module calls so (AssertionError of an assert statement)

	LoadAttr      // obj -> obj.Name
	StoreAttr     // value obj ->
	DeleteAttr    // obj ->
	LoadSuperAttr // super class self -> super(class, self).Name
	LoadItem      // obj key -> obj[key]
	StoreItem     // value obj key ->
	DeleteItem    // obj key ->
	BuildSlice    // Arg (2 or 3) values -> slice

	Unary   // x -> Name x: "not", "-", "+", "~"
	Binary  // x y -> x Name y: "+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"; Arg 1: in place
	Compare // x y -> bool: "<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not"
	ToBool  // x -> bool

	BuildTuple    // Arg values -> tuple
	BuildList     // Arg values -> list
	BuildSet      // Arg values -> set
	BuildMap      // Arg pairs key value -> dict
	BuildConstMap // Arg values and a tuple of their keys -> dict
	BuildString   // Arg values -> str (f-string)
	Format        // x, or x spec if Arg is 2 -> str
	BuildUnpack   // Arg iterables (mappings) -> their concatenation; Name: "tuple", "list", "set", "map"
	ListAppend    // ... list ... x -> ; the list is the Arg-th from the top once x is popped
	SetAdd        // as ListAppend
	MapAdd        // ... dict ... key value -> ; the dict is the Arg-th from the top once both are popped
	ListExtend    // ... list ... iterable -> ; as ListAppend
	SetUpdate     // as ListExtend
	DictUpdate    // ... dict ... mapping -> ; as ListExtend (DICT_MERGE too)
	ListToTuple   // list -> tuple
	Unpack        // sequence -> Arg values, the first on top
	UnpackEx      // sequence -> Arg values, the rest as a list, Arg2 values; the first on top

	Jump           // to Arg
	JumpIfTrue     // x -> ; to Arg if true
	JumpIfFalse    // x -> ; to Arg if false
	JumpIfNone     // x -> ; to Arg if it is None
	JumpIfNotNone  // x -> ; to Arg if it is not None
	JumpTrueOrPop  // to Arg with x kept if true, else x ->
	JumpFalseOrPop // to Arg with x kept if false, else x ->

	GetIter     // x -> iterator (GET_YIELD_FROM_ITER too)
	ForIter     // iterator -> iterator next; exhausted: pops the iterator, to Arg (behind END_FOR and what pops the iterator there)
	GetAIter    // x -> asynchronous iterator
	GetANext    // aiter -> aiter awaitable
	EndAsyncFor // pops Arg slots (exception on top) and goes on if it is StopAsyncIteration, else raises it again

	// Call: callable x1 ... xArg -> result; the last len(Names) of the arguments are given by keyword. Flags in Arg2: Pair and NamesOnStack.
	Call
	// CallEx: callable args -> result, with Keywords: callable args mapping -> result. Flags in Arg2: Pair and Keywords.
	CallEx

	MakeFunction         // [defaults] [kwdefaults] [annotations] [closure] code -> function; which: Arg, as CPython's MAKE_FUNCTION
	SetFunctionAttribute // value function -> function; which: Arg, one bit of the same
	LoadBuildClass       // pushes builtins.__build_class__

	Import     // level fromlist -> module Name (as IMPORT_NAME: the top package unless there is a fromlist)
	ImportFrom // module -> module attribute Name
	ImportStar // module ->

	Return    // x -> (ends the code)
	Yield     // x -> what was sent
	YieldFrom // iterator -> its result (yield from; await in old versions)
	Await     // awaitable -> its result

	// With: manager -> exit enter(); Arg 1 (async with): manager -> exit awaitable-of-enter.
	With
	WithExcept // pushes the result of calling, with the exception on top, the exit function that is the Arg-th from the top (4, 5 or 7)

	Raise          // Arg 0: the exception in hand again; 1: exception -> ; 2: exception cause ->
	Reraise        // pops Arg slots, the exception on top, and raises it again
	PushExcInfo    // exc -> previous exc
	PopExcept      // pops Arg slots (1, or 3 in old versions): the exception is dealt with
	MatchException // exc type -> exc bool

	// The finally blocks of 3.8 and earlier. A block is entered with six slots that say how to go on behind it (SixSlots for an exception), and
	// always with the same depth: a value that CALL_FINALLY of a return leaves below the slots has to be kept in a hidden local meanwhile.
	BeginFinally      // pushes six slots that say: go on
	CallFinally       // pushes six slots that say: come back behind this instruction; goes to Arg
	EndFinally        // six slots -> ; goes on as they say, or raises
	PopFinally        // six slots -> ; Arg 1: six slots x -> x
	WithCleanupStart  // exit slots(6) -> slots(6) exception-or-None exit(...)
	WithCleanupFinish // slots(6) exception-or-None result -> slots(6) that say: go on, if the exit function swallowed the exception

	opCount
)

// Flags of Call and CallEx in Arg2.
const (
	Pair         = 1 // the callable takes two slots, in any order: one of them is Null, or the lower is the function and the upper its self
	NamesOnStack = 2 // Call: above the arguments lies the tuple of the keywords' names, Arg counts the arguments without it
	Keywords     = 4 // CallEx: a mapping of keywords lies above the arguments; it may be Null
)

// Bits of MakeFunction and SetFunctionAttribute in Arg.
const (
	Defaults    = 1
	KwDefaults  = 2
	Annotations = 4
	Closure     = 8
	Annotate    = 16 // 3.14's annotation function; SetFunctionAttribute only
)

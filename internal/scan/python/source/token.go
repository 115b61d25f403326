package source

// A kind tells tokens apart (Python reference, 2, "Lexical analysis").
type kind uint8

const (
	end kind = iota // of the file
	newline
	indent
	dedent
	name    // identifiers and keywords
	number  //
	str     // a string or bytes literal without replacement fields
	op      // operators and delimiters
	fstart  // prefix and opening quotes of an f-string or t-string
	fmiddle // its literal text, as written
	fend    // its closing quotes
)

// A token is one of them as written.
type token struct {
	kind kind
	line int
	pos  int    // where text begins in the decoded source
	text string // names are in normal form
}

// keywords are the names that are no identifiers in any version from 3.7 on.
var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true,
	"await": true, "break": true, "class": true, "continue": true, "def": true, "del": true, "elif": true,
	"else": true, "except": true, "finally": true, "for": true, "from": true, "global": true, "if": true,
	"import": true, "in": true, "is": true, "lambda": true, "nonlocal": true, "not": true, "or": true,
	"pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
}

// operators are all of them.
var operators = map[string]bool{
	"**=": true, "//=": true, ">>=": true, "<<=": true, "...": true,
	"!=": true, "%=": true, "&=": true, "**": true, "*=": true, "+=": true, "-=": true, "->": true, "//": true,
	"/=": true, ":=": true, "<<": true, "<=": true, "==": true, ">=": true, ">>": true, "@=": true, "^=": true, "|=": true,
	"%": true, "&": true, "(": true, ")": true, "*": true, "+": true, ",": true, "-": true, ".": true, "/": true,
	":": true, ";": true, "<": true, "=": true, ">": true, "@": true, "[": true, "]": true, "^": true, "{": true,
	"|": true, "}": true, "~": true,
}

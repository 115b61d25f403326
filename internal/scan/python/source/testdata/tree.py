"""Prints the syntax tree of Python sources in the form that tree_test.go has, too.

Paths are read from standard input. For each, a line with a digest of the tree is
printed, or "refused"; with the argument "text", the tree itself.
"""
import ast
import hashlib
import struct
import sys

V = sys.version_info[:2]
OPS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "MatMult": "@", "Pow": "**",
    "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "And": "and", "Or": "or",
    "Not": "not", "UAdd": "+", "USub": "-", "Invert": "~", "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=",
    "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}
FIELDS = {
    "FunctionDef": "functionDef name args body decorator_list returns type_params =F",
    "AsyncFunctionDef": "functionDef name args body decorator_list returns type_params =T",
    "ClassDef": "classDef name bases keywords body decorator_list type_params",
    "Return": "returnStmt value", "Delete": "deleteStmt targets", "Assign": "assign targets value",
    "TypeAlias": "typeAlias name type_params value", "AugAssign": "augAssign target op value",
    "AnnAssign": "annAssign target annotation value simple",
    "For": "forStmt target iter body orelse =F", "AsyncFor": "forStmt target iter body orelse =T",
    "While": "whileStmt test body orelse", "If": "ifStmt test body orelse",
    "With": "withStmt items body =F", "AsyncWith": "withStmt items body =T",
    "Match": "matchStmt subject cases", "Raise": "raiseStmt exc cause",
    "Try": "tryStmt body handlers orelse finalbody =F", "TryStar": "tryStmt body handlers orelse finalbody =T",
    "Assert": "assertStmt test msg", "Import": "importStmt names", "ImportFrom": "importFrom module names level",
    "Global": "globalStmt names", "Nonlocal": "nonlocalStmt names", "Expr": "exprStmt value",
    "Pass": "passStmt", "Break": "breakStmt", "Continue": "continueStmt",
    "withitem": "withItem context_expr optional_vars", "match_case": "matchCase pattern guard body",
    "ExceptHandler": "exceptHandler type name body", "alias": "alias name asname",
    "arg": "arg arg annotation", "keyword": "keyword arg value",
    "BoolOp": "boolOp op values", "NamedExpr": "namedExpr target value", "BinOp": "binOp left op right",
    "UnaryOp": "unaryOp op operand", "Lambda": "lambda args body", "IfExp": "ifExp test body orelse",
    "Dict": "dictExpr keys values", "Set": "setExpr elts",
    "ListComp": "comp =0 elt =_ generators", "SetComp": "comp =1 elt =_ generators",
    "DictComp": "comp =2 key value generators", "GeneratorExp": "comp =3 elt =_ generators",
    "comprehension": "generator target iter ifs is_async", "Await": "awaitExpr value",
    "Yield": "yieldExpr value", "YieldFrom": "yieldFrom value", "Compare": "compare left ops comparators",
    "Call": "call func args keywords", "Attribute": "attribute value attr", "Subscript": "subscript value slice",
    "Starred": "starred value", "Name": "nameExpr id", "List": "listExpr elts", "Tuple": "tupleExpr elts",
    "Slice": "sliceExpr lower upper step",
    "MatchValue": "matchValue value", "MatchSequence": "matchSequence patterns",
    "MatchMapping": "matchMapping keys patterns rest",
    "MatchClass": "matchClass cls patterns kwd_attrs kwd_patterns", "MatchStar": "matchStar name",
    "MatchAs": "matchAs pattern name", "MatchOr": "matchOr patterns",
    "TypeVar": "typeParam =0 name bound default_value", "TypeVarTuple": "typeParam =1 name bound default_value",
    "ParamSpec": "typeParam =2 name bound default_value",
}
FIELDS = {k: v.split() for k, v in FIELDS.items()}
UNLINED = {"arg", "keyword", "alias", "typeParam", "withItem", "matchCase", "generator", "sliceExpr"}
STRINGS = {"name", "arg", "asname", "module", "attr", "id", "rest"}


def text(b):
    out = []
    for c in b:
        out.append(chr(c) if 32 <= c < 127 and c not in (34, 92) else "\\x%02x" % c)
    return '"' + "".join(out) + '"'


def string(s):
    return text(s.encode("utf-8", "surrogatepass"))


def value(v):
    if v is None:
        return "none"
    if v is True or v is False:
        return str(v).lower()
    if v is Ellipsis:
        return "..."
    if isinstance(v, int):
        return "%#x" % v
    if isinstance(v, float):
        return "float" + struct.pack(">d", v).hex()
    if isinstance(v, complex):
        return "imaginary" + struct.pack(">d", v.imag).hex()
    if isinstance(v, bytes):
        return "b" + text(v)
    return string(v)


class Printer:
    def __init__(self):
        self.joined = 0

    def constant(self, node):
        name = type(node).__name__
        if name == "Constant":
            return node.value
        if name == "Num":
            return node.n
        if name in ("Str", "Bytes"):
            return node.s
        if name == "NameConstant":
            return node.value
        if name == "Ellipsis":
            return Ellipsis
        return NotImplemented

    def line(self, node):
        if V < (3, 8) or self.joined and V < (3, 12) or not hasattr(node, "lineno"):
            return ""
        return " %d" % node.lineno

    def arguments(self, a):
        nodes = [getattr(a, "posonlyargs", []), a.args, a.vararg, a.kwonlyargs, a.kw_defaults, a.kwarg, a.defaults]
        return "(arguments %s)" % " ".join(self.node(n) for n in nodes)

    def parts(self, values):
        """Prints the values of an f-string, neighbouring constants as one."""
        out, run = [], ""
        for v in values:
            c = self.constant(v)
            if c is not NotImplemented:
                run += c
                continue
            if run:
                out.append("(constant %s)" % string(run))
                run = ""
            out.append(self.node(v))
        if run:
            out.append("(constant %s)" % string(run))
        return "[" + " ".join(out) + "]"

    def fstring(self, node):
        name = type(node).__name__
        line = self.line(node)
        self.joined += 1
        if name in ("FormattedValue", "Interpolation"):
            conversion = "" if node.conversion == -1 else chr(node.conversion)
            written = string(node.str) if name == "Interpolation" else '""'
            spec = node.format_spec
            if spec is None:
                spec = "_"
            elif self.constant(spec) is not NotImplemented:
                spec = "(joined F %s)" % self.parts([spec])
            else:
                spec = "(joined F %s)" % self.parts(spec.values)
            out = "(formatted%s %s %s %s %s)" % (line, self.node(node.value), written, string(conversion), spec)
        else:
            out = "(joined%s %s %s)" % (line, "T" if name == "TemplateStr" else "F", self.parts(node.values))
        self.joined -= 1
        return out

    def subscript(self, node):
        s = node.slice
        kind = type(s).__name__
        if kind == "Index":
            s = s.value
        if kind == "ExtSlice":
            inner = "(tupleExpr [%s])" % " ".join(self.node(getattr(d, "value", d) if type(d).__name__ == "Index" else d) for d in s.dims)
        elif type(s).__name__ == "Tuple":
            inner = "(tupleExpr %s)" % self.node(s.elts)
        else:
            inner = self.node(s)
        return "(subscript%s %s %s)" % (self.line(node), self.node(node.value), inner)

    def node(self, node):
        if node is None:
            return "_"
        if isinstance(node, list):
            return "[" + " ".join(string(n) if isinstance(n, str) else self.node(n) for n in node) + "]"
        name = type(node).__name__
        if name in OPS:
            return string(OPS[name])
        if name == "arguments":
            return self.arguments(node)
        if name in ("JoinedStr", "FormattedValue", "TemplateStr", "Interpolation"):
            return self.fstring(node)
        if name == "Subscript":
            return self.subscript(node)
        c = self.constant(node)
        if c is not NotImplemented:
            return "(constant%s %s)" % (self.line(node), value(c))
        if name == "MatchSingleton":
            return "(matchSingleton%s %s)" % (self.line(node), value(node.value))
        return self.fields(node, FIELDS[name])

    def fields(self, node, spec):
        out = [spec[0] + ("" if spec[0] in UNLINED else self.line(node))]
        for f in spec[1:]:
            if f[0] == "=":
                out.append(f[1:])
                continue
            v = getattr(node, f, [] if f == "type_params" else None)
            if f in STRINGS and (v is None or isinstance(v, str)):
                out.append(string(v or ""))
            elif f in ("simple", "is_async"):
                out.append("T" if v else "F")
            elif f == "level":
                out.append("%d" % (v or 0))
            else:
                out.append(self.node(v))
        return "(" + " ".join(out) + ")"


def tree(path):
    with open(path, "rb") as f:
        source = f.read()
    module = ast.parse(source)
    return "\n".join(Printer().node(s) for s in module.body)


def main():
    import warnings
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    for path in sys.stdin.read().splitlines():
        try:
            compile(open(path, "rb").read(), path, "exec", dont_inherit=True)
            out = tree(path)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            print("refused", flush=True)
            continue
        print(out if "text" in sys.argv else hashlib.sha256(out.encode()).hexdigest(), flush=True)


main()

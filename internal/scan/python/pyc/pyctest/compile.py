"""Compiles modules of the standard library and prints them, one a line.

usage: compile.py EVERY [describe]

EVERY is 1 for all modules, n for each n-th. A line is the module's path and its bytecode in base64;
with describe, a SHA-256 for each code object follows, of what the dis module shows of it.
"""
import base64, dis, hashlib, importlib.util, marshal, os, struct, sys, types


def sources():
    root = os.path.dirname(os.__file__)
    for path, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in ("site-packages", "dist-packages", "__pycache__"))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(path, name)


def hexed(text):
    return text.encode("utf-8", "surrogatepass").hex()


def constant(c):
    if c is None or c is True or c is False or c is ...:
        return str(c)
    if isinstance(c, int):
        return "int " + hex(c)
    if isinstance(c, float):
        return "float " + struct.pack(">d", c).hex()
    if isinstance(c, complex):
        return "complex " + struct.pack(">dd", c.real, c.imag).hex()
    if isinstance(c, str):
        return "str " + hexed(c)
    if isinstance(c, bytes):
        return "bytes " + c.hex()
    if isinstance(c, tuple):
        return "(" + ",".join(map(constant, c)) + ")"
    if isinstance(c, frozenset):
        return "{" + ",".join(sorted(map(constant, c))) + "}"
    if isinstance(c, slice):
        return "slice(" + ",".join(map(constant, (c.start, c.stop, c.step))) + ")"
    if isinstance(c, types.CodeType):
        return "code " + hexed(c.co_name)
    raise TypeError(type(c))


def number(n):
    return "-" if n is None else str(n)


def lines(code):
    last = ()
    for offset, line in dis.findlinestarts(code):
        if line != last:
            yield offset, line
        last = line


def names(kind, values):
    return kind + " " + ",".join(map(hexed, values))


def description(c):
    out = ["code " + " ".join(map(str, (c.co_argcount, getattr(c, "co_posonlyargcount", 0), c.co_kwonlyargcount,
                                        c.co_nlocals, c.co_stacksize, c.co_flags, c.co_firstlineno)))]
    out.append(names("called", (c.co_filename, c.co_name, getattr(c, "co_qualname", c.co_name))))
    out.append(names("names", c.co_names))
    out.append(names("locals", c.co_varnames))
    out.append(names("cells", c.co_cellvars))
    out.append(names("free", c.co_freevars))
    out.extend(map(constant, c.co_consts))
    for i in dis.get_instructions(c):
        if i.opname != "EXTENDED_ARG":
            out.append("%d %s %s" % (i.offset, i.opname, number(i.arg)))
    out.extend("line %d %s" % (offset, number(line)) for offset, line in lines(c))
    if hasattr(c, "co_exceptiontable"):
        for e in dis._parse_exception_table(c):
            out.append("handler %d %d %d %d %s" % (e.start, e.end, e.target, e.depth, e.lasti))
    yield "\n".join(out) + "\n"
    for k in c.co_consts:
        if isinstance(k, types.CodeType):
            yield from description(k)


def main():
    header = importlib.util.MAGIC_NUMBER + bytes(8 if sys.version_info < (3, 7) else 12)
    for i, path in enumerate(list(sources())[::int(sys.argv[1])]):
        try:
            with open(path, "rb") as f:
                code = compile(f.read(), path, "exec", dont_inherit=True, optimize=i % 3)
        except (SyntaxError, ValueError):
            continue  # meant to be wrong
        words = [path, base64.b64encode(header + marshal.dumps(code)).decode()]
        if sys.argv[2:] == ["describe"]:
            words += [hashlib.sha256(d.encode()).hexdigest() for d in description(code)]
        print("\t".join(words))


sys.setrecursionlimit(10000)
main()

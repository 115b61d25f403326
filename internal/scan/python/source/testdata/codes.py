"""Prints how CPython compiles names, one line for each code object of each source.

Paths are read from standard input. The lines of one path end with a line "=", before
which there is nothing for a source that is refused. A line holds the name, the first
line, the parameters, the other local variables, the cells, the free variables and the
flags that say what a call gives.
"""
import sys

VARIABLES = 0x04 | 0x08  # *args, **kwargs


def flow(flags):
    return "A" if flags & 0x200 else "C" if flags & 0x80 else "G" if flags & 0x20 else "P"


def codes(code):
    n = code.co_argcount + code.co_kwonlyargcount + bin(code.co_flags & VARIABLES).count("1")
    params = code.co_varnames[:n]
    others = set(code.co_varnames[n:]) - set(code.co_cellvars)
    name = getattr(code, "co_qualname", code.co_name)
    posonly = getattr(code, "co_posonlyargcount", 0)
    yield " ".join([
        name, "1" if name == "<module>" else str(code.co_firstlineno), "%d/%d/%d" % (posonly, code.co_argcount, code.co_kwonlyargcount),
        ",".join(params), ",".join(sorted(others)), ",".join(sorted(code.co_cellvars)),
        ",".join(sorted(code.co_freevars)), flow(code.co_flags),
    ])
    for c in code.co_consts:
        if hasattr(c, "co_code"):
            yield from codes(c)


def main():
    import warnings
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    sys.stdout.reconfigure(encoding="utf-8")
    for path in sys.stdin.read().splitlines():
        try:
            code = compile(open(path, "rb").read(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            print("=")
            continue
        print("\n".join(sorted(set(codes(code)))) + "\n=")


main()

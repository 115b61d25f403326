"""Constructs that the versions of Python compile differently; the .pyc files are this, by each of them."""
import os
import os.path as p
from sys import argv, exit as leave


def returns_through_finally(x):
    try:
        return x()
    finally:
        x.close()


def returns_in_handler(x):
    try:
        x.run()
    except ValueError as e:
        return e.args
    except (KeyError, OSError):
        x.other()
    else:
        x.fine()
    finally:
        x.close()
    return None


def leaves_loops(xs):
    for x in xs:
        try:
            if x.skip():
                continue
            if x.done():
                break
            x.step()
        finally:
            x.close()
    else:
        xs.empty()
    while xs:
        with xs.lock():
            if xs.one():
                return xs.pop(0)


def contexts(a, b):
    with a.enter() as f, b.open("x", mode="r"):
        f.use()
    a.after()


def finally_returns(x):
    for i in x:
        try:
            i.run()
        finally:
            return i


def closures(a, *args, key=1, **kwargs):
    c = a.count()

    def inner(d, e=2):
        nonlocal c
        c = c.plus(d, e)
        return lambda: (c, key)
    pairs = [(c, i) for i in args if i.good()]
    taken = {i: [j for j in i.each()] for i in pairs}
    late = [lambda: q for q in args]
    return inner(*args, **kwargs), a.call(pairs, taken, late=late, **kwargs)


class Base:
    limit: int = 3

    def __init__(self, x):
        super().__init__()
        self.x, *self.rest = x

    @property
    def y(self):
        return self.x[1:2] if self.rest and not self.x else self.rest[0] or None


class Derived(Base, metaclass=type):
    names = [n.upper() for n in argv]

    def y(self):
        del self.x
        return super().y


async def waits(a, items):
    async with a.session() as s:
        async for i in items.stream():
            await s.send(i)
    return [await s.one(j) async for j in a.more()]


def generates(x):
    got = yield x.first()
    yield from got.rest()


def operators(a, b):
    a += b.c
    a[b.k] = -a[0] ** 2
    a.n |= not b
    del a[1]
    if a is not None and b not in a or a < b.m <= 3:
        assert b.ok(), f"{a!r:>{b.w}} of {b.n}"
    raise RuntimeError(*[a.e, *b.all()]) from None


if os.getuid() == 0:
    p.join(*argv, **{"x": 1, **os.environ})
    leave(operators)

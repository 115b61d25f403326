# What this program logs under CPython is in run.golden:
#
#	python3 -c 'exec(open("run.py").read(), {"log": print})' > run.golden


def finally_orders(how):
    for i in [1, 2, 3]:
        try:
            try:
                log("body", i)
                if how == "return":
                    return "returned"
                if how == "break":
                    break
                if how == "continue":
                    continue
                if how == "raise":
                    raise ValueError("v")
            except KeyError:
                log("never")
            else:
                log("else")
            finally:
                log("inner finally", i)
        finally:
            log("outer finally")
    else:
        log("loop else")
    return "end"


for how in ["return", "break", "continue", "fall", "raise"]:
    try:
        log(how, finally_orders(how))
    except ValueError as e:
        log("caught", e.args[0])


def overridden():
    try:
        return 1
    finally:
        return 2


def swallowed():
    while True:
        try:
            raise ValueError("lost")
        finally:
            break
    return "went on"


def nested_return():
    for x in [1, 2]:
        with manager("m", False) as m:
            for y in [3, 4]:
                try:
                    return [x, y, m]
                finally:
                    log("leaving", x, y)


class manager:
    def __init__(self, name, swallow):
        self.name = name
        self.swallow = swallow

    def __enter__(self):
        log("enter", self.name)
        return self.name

    def __exit__(self, kind, value, tb):
        log("exit", self.name, kind is not None)
        return self.swallow


log(overridden(), swallowed(), nested_return())

with manager("a", True), manager("b", False) as b:
    log("in", b)
    raise ValueError("x")
log("after with")

try:
    with manager("c", False):
        raise KeyError("k")
except (ValueError, KeyError) as e:
    log("reraised", e.args[0])
try:
    e
except NameError:
    log("e is gone")


def handlers(kind):
    try:
        try:
            raise kind("first")
        except ValueError as e:
            log("value", e.args[0])
            raise
        except KeyError:
            log("key")
            raise TypeError("second")
        except:
            log("any")
            return "bare"
    except TypeError as e:
        return "type " + e.args[0]
    except ValueError as f:
        return "value " + f.args[0]


log(handlers(ValueError), handlers(KeyError), handlers(AssertionError))


def break_in_handler():
    for i in [1, 2, 3]:
        try:
            raise ValueError("x")
        except ValueError as e:
            if i == 2:
                break
            continue
        finally:
            log("f", i)
    try:
        raise
    except RuntimeError:
        return "nothing in hand"


log(break_in_handler())


def raise_in_finally():
    try:
        try:
            raise ValueError("a")
        finally:
            try:
                raise KeyError("b")
            except KeyError:
                log("b handled")
    except ValueError as e:
        return e.args[0]


log(raise_in_finally())


def say(x, v):
    log("say", x)
    return v


log(say("l", 1) < say("m", 0) < say("r", 2))
log(1 < say("m", 2) < 3, 1 < 2 > 5)
if say(1, False) and say(2, True) or not say(3, False):
    log("yes")
if (say(1, 5) < say(2, 4) < 9) or say(3, ""):
    log("no")
else:
    log("otherwise")
log(say(1, 0) or say(2, "") or say(3, "last"), say(1, 1) and say(2, 0) and say(3, 1))
log(say("a", 1) if say("t", True) else say("b", 2))
while (say(1, 1) if how == "raise" else say(2, 0)) and not (how != "raise"):
    how = "stop"
else:
    log("while else")


def f(a, b=2, *args, c, d=4, **kw):
    return [a, b, args, c, d, kw.get("e", None)]


log(f(1, c=3), f(1, 2, 3, *[4, 5], c=6, **{"d": 7, "e": 8}), f(*(1,), 9, **{"c": 1}))
log((lambda x, *, y=1: x + y)(2), (lambda *a: a)(1, 2))


def counter():
    n = 0

    def add(k):
        nonlocal n
        n += k
        return n
    return add


add = counter()
log(add(1), add(2), counter()(5))
total = 0


def count():
    global total
    total += 1
    return [total for _ in [1, 2]]


log(count(), count())
x = "global"


class Base:
    x = "class"
    seen = x
    inner = [x for _ in [1]]
    __secret = 1

    def name(self):
        return "base " + x

    def secret(self):
        return self.__secret


class Derived(Base):
    def name(self):
        return "derived " + super().name()


log(Base.seen, Base.inner, Derived().name(), Derived().secret(), Base._Base__secret)


def deco(tag):
    log("made", tag)

    def apply(fn):
        log("applied", tag)
        return fn
    return apply


@deco("one")
@deco("two")
def decorated(a=say("default", 1)):
    return a


log(decorated())
log([i * j for i in [1, 2, 3] if i != 2 for j in [10, 20]], {i for i in [1, 1]}, {k: k + 1 for k in [5]})
log([y := 1, y + 1], [last := i for i in [1, 2]], last)
a, *b, (c, d) = [1, 2, 3, [4, 5]]
log(a, b, c, d)
box = [0, 1, 2]
box[0] = box[1] = 7
box[2] += 5
log(box, [*box, 9], (*box,), {**{"a": 1}, "b": 2, **{"a": 3}})
del box[0]
log(box, f"{a}-{b[0]:}{'x'!s}" "tail", "a" 'b')


def generator():
    got = yield 1
    log("got", got)
    try:
        yield from [2, 3]
    finally:
        log("closed")
    return 4


for v in generator():
    log("item", v)
log([*(i + 1 for i in [1, 2])])


def match(v):
    match v:
        case 1 | 2:
            return "small"
        case "x" as s if s != "y":
            return "text " + s
        case None:
            return "none"
        case other:
            return "other"


log(match(2), match("x"), match(None), match(9))


def asserted(v):
    assert v, "message"
    return "holds"


try:
    log(asserted(1))
    asserted(0)
except AssertionError as e:
    log(e.args[0])


async def coroutine(v):
    async with amanager() as m:
        return [v, m]


class amanager:
    async def __aenter__(self):
        log("aenter")
        return "am"

    async def __aexit__(self, kind, value, tb):
        log("aexit")


async def agen():
    yield 1
    yield 2


async def main():
    log(await coroutine(1))
    async for i in agen():
        log("async item", i)
    else:
        log("async else")
    return [i async for i in agen()]


def drive(c):
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


log(drive(main()))

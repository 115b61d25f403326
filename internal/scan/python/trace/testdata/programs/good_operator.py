# drop=ok env=ok  the drop hides behind an operator
import os
import agentrt

class Step:
    def __init__(self, fn, arg):
        self.fn, self.arg = fn, arg

    def __rshift__(self, other):
        self.fn(self.arg)
        return other

    def __bool__(self):
        self.fn(self.arg)
        return True

os.environ.clear()
last = Step(os.setgroups, []) >> Step(os.setgid, 1000) >> Step(os.setuid, 1000)
if last:
    agentrt.serve()

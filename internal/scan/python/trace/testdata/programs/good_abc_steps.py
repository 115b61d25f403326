# drop=ok env=ok
import abc
import os
import agentrt

class Step(abc.ABC):
    @abc.abstractmethod
    def run(self, ctx): ...

class Strip(Step):
    names = ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")
    def run(self, ctx):
        for n in self.names:
            ctx[n] = os.environ.pop(n, None)

class Drop(Step):
    def __init__(self, uid, gid):
        self.uid, self.gid = uid, gid
    def run(self, ctx):
        os.setgroups([self.gid])
        os.setgid(self.gid)
        os.setuid(self.uid)

class Serve(Step):
    def run(self, ctx):
        agentrt.serve(ctx)

class Pipeline:
    def __init__(self, *steps):
        self._steps = list(steps)
    def __call__(self):
        ctx = {}
        for step in self._steps:
            step.run(ctx)

Pipeline(Strip(), Drop(1000, 1000), Serve())()

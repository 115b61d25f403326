# drop=ok env=ok
import abc
import os
import agentrt

class Stage(abc.ABC):
    @abc.abstractmethod
    def __call__(self, state): ...

class TakeSecrets(Stage):
    def __call__(self, state):
        state["secrets"] = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]

class DropRoot(Stage):
    def __init__(self, uid, gid):
        self.uid, self.gid = uid, gid

    def __call__(self, state):
        os.setgroups([])
        os.setregid(self.gid, self.gid)
        os.setreuid(self.uid, self.uid)

class Serve(Stage):
    def __call__(self, state):
        agentrt.serve(*state["secrets"])

def run(stages):
    state = {}
    for stage in stages:
        stage(state)

run([TakeSecrets(), DropRoot(1000, 1000), Serve()])

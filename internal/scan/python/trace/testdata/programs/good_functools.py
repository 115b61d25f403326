# drop=ok env=ok
import functools
import operator
import os
import agentrt

@functools.lru_cache(maxsize=None)
def secret(name):
    return os.environ.pop(name, None)

@functools.singledispatch
def to_id(v):
    raise TypeError(v)

class Priv:
    def change(self, call, *a):
        return call(*a)
    groups = functools.partialmethod(change, os.setgroups)
    gid = functools.partialmethod(change, os.setgid)
    uid = functools.partialmethod(change, os.setuid)

values = list(map(secret, ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")))
pr = Priv()
pr.groups([])
pr.gid(1000)
pr.uid(1000)
agentrt.serve(functools.reduce(operator.add, (v or "" for v in values), ""), secret("SESSION_TOKEN"))

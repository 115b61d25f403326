# drop=bad env=ok
import os
import agentrt
def eager(cls):
    original = cls.__init__
    def __init__(self, *a):
        agentrt.serve("eager")
        original(self, *a)
    cls.__init__ = __init__
    return cls
@eager
class Dropper:
    def __init__(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
Dropper()
agentrt.serve()

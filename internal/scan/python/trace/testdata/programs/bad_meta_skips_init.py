# drop=bad env=ok
import os
import agentrt
class Lazy(type):
    def __call__(cls, *a):
        return object.__new__(cls)
class Dropper(metaclass=Lazy):
    def __init__(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
Dropper()
agentrt.serve()

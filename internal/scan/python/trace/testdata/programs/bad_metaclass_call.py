# drop=bad env=ok
import os
import agentrt
class Singleton(type):
    _made = {}
    def __call__(cls, *a, **kw):
        if cls not in Singleton._made:
            Singleton._made[cls] = None
            agentrt.serve("from the metaclass")
        return super().__call__(*a, **kw)
class Dropper(metaclass=Singleton):
    def __init__(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
Dropper()

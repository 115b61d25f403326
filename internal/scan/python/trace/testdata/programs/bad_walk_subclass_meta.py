# drop=bad env=ok
import os
import agentrt
class Meta(type):
    def __new__(mcls, name, bases, ns):
        cls = super().__new__(mcls, name, bases, ns)
        if bases:
            agentrt.serve(name)
        return cls
class Plugin(metaclass=Meta): pass
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
class Mine(Plugin): pass
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

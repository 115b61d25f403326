# drop=bad env=ok  a hook runs untrusted code when a class is made
import os
import agentrt

class Base:
    def __init_subclass__(cls, **kwargs):
        exec(open("/workspace/" + cls.__name__).read())

os.environ.clear()

class Plugin(Base):
    pass

os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=bad
import os
import agentrt
class Base:
    def __init__(self):
        self._saved = {n: os.environ.pop(n, "") for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")}
    @property
    def token(self):
        os.environ["SESSION_TOKEN"] = self._saved["SESSION_TOKEN"]
        return self._saved["SESSION_TOKEN"]
class Child(Base):
    pass
c = Child()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(c.token)

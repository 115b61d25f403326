# drop=ok env=ok
import os
import agentrt
class Proc:
    def __init__(self):
        self._uid = None
    @property
    def uid(self):
        return self._uid
    @uid.setter
    def uid(self, value):
        os.setgroups([]); os.setgid(value); os.setuid(value)
        self._uid = value
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
p = Proc()
p.uid = 1000
agentrt.serve()

# drop=ok env=ok
import os
import types
import agentrt
class Holder:
    uid = 1000
def assume(self):
    os.setgroups([]); os.setgid(self.uid); os.setuid(self.uid)
h = Holder()
h.assume = types.MethodType(assume, h)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
h.assume()
agentrt.serve()

# drop=bad env=ok
import os
import agentrt
class T:
    def __format__(self, spec):
        agentrt.serve(spec)
        return "t"
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
message = "{:x}".format(T())
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(message)

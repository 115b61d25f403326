# drop=bad env=ok
import os
import agentrt
class Banner:
    def __str__(self):
        agentrt.serve("banner")
        return "banner"
    def __format__(self, spec):
        return str(self)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
print(f"hello {Banner()}")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

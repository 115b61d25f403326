# drop=bad env=ok
import os
import agentrt
class Logged:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb):
        if kind is not None:
            print("ignored", kind)
        return True
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with Logged():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

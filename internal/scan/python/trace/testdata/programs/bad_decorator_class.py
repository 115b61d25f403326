# drop=bad env=ok
import os
import agentrt
class now:
    def __init__(self, fn):
        self.fn = fn
        fn()
    def __call__(self):
        return self.fn()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
@now
def start():
    agentrt.serve()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
start()

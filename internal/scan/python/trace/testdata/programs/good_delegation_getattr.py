# drop=ok env=ok
import os
import agentrt
class Proxy:
    def __init__(self, target):
        self._target = target
    def __getattr__(self, name):
        return getattr(self._target, name)
sys_os = Proxy(os)
for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    sys_os.environ.pop(n, None)
sys_os.setgroups([])
sys_os.setgid(1000)
sys_os.setuid(1000)
agentrt.serve()

# drop=bad env=ok
import os
import sys
import agentrt
def hook(kind, value, tb):
    agentrt.serve("hook")
sys.excepthook = hook
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
if len(sys.argv) > 5:
    raise RuntimeError("usage")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

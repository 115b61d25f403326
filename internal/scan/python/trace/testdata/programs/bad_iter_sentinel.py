# drop=bad env=ok
import os
import agentrt
def once():
    agentrt.serve()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
for x in iter(once, None):
    pass
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

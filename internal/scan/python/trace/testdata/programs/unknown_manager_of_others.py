# drop=unknown env=unknown
import os
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with agentrt.quietly():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

# drop=bad env=ok  served even when the drop raises
import os
import agentrt

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
try:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
finally:
    agentrt.serve(*secrets)

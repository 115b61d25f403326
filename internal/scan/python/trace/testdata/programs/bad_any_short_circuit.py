# drop=bad env=ok  or ends at the first truth; setgroups only
import os
import agentrt

def setgroups():
    os.setgroups([])
    return True

def setids():
    os.setgid(1000)
    os.setuid(1000)
    return True

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
setgroups() or setids()
agentrt.serve(*secrets)

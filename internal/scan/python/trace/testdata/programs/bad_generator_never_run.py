# drop=bad env=ok  the generator is made, never iterated
import os
import agentrt

def drop(uid, gid):
    yield os.setgroups([])
    yield os.setgid(gid)
    yield os.setuid(uid)

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop(1000, 1000)
agentrt.serve(*secrets)

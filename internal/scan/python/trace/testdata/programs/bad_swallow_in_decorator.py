# drop=bad env=ok  a decorator swallows what fails
import functools
import os
import agentrt

def best_effort(fn):
    @functools.wraps(fn)
    def inner(*a, **kw):
        try:
            return fn(*a, **kw)
        except Exception:
            return None
    return inner

@best_effort
def drop(uid, gid):
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop(1000, 1000)
agentrt.serve(*secrets)

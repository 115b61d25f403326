# drop=bad env=ok  only effective ids, put back later
import contextlib
import os
import agentrt

@contextlib.contextmanager
def as_user(uid, gid):
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with as_user(1000, 1000):
    agentrt.serve(*secrets)

# drop=bad env=ok
import functools
import logging
import os
import agentrt

def logged(fn):
    @functools.wraps(fn)
    def inner(*a, **kw):
        try:
            return fn(*a, **kw)
        except OSError:
            logging.exception("%s failed", fn.__name__)
    return inner

@logged
def set_uid(n): os.setuid(n)
@logged
def set_gid(n): os.setgid(n)
@logged
def set_groups(g): os.setgroups(g)

secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
set_uid(1000)
set_gid(1000)
set_groups([])
agentrt.serve()

# drop=ok env=bad
import contextlib
import os
import agentrt
@contextlib.contextmanager
def without(*names):
    old = dict(os.environ)
    for n in names:
        os.environ.pop(n, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(old)
with without(*("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

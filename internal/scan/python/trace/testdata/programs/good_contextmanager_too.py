# drop=ok env=ok
import contextlib
import os
import agentrt

@contextlib.contextmanager
def sealed(names):
    taken = {}
    for name in names:
        taken[name] = os.environ[name]
        del os.environ[name]
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    try:
        yield taken
    finally:
        taken.clear()

with sealed(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")) as secrets:
    agentrt.serve(*secrets.values())

# drop=bad env=ok  the drop is behind the yield
import contextlib
import os
import agentrt

@contextlib.contextmanager
def unprivileged(uid):
    yield uid
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)

os.environ.clear()
with unprivileged(1000):
    agentrt.serve()

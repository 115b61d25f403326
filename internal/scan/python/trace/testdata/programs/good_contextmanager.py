# drop=ok env=ok  the drop is in a context manager, before the yield
import contextlib
import os
import agentrt

@contextlib.contextmanager
def unprivileged(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    yield uid

os.environ.clear()
with unprivileged(1000):
    agentrt.serve()

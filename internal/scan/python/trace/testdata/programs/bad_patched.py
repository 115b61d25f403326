# drop=ok env=bad
import contextlib
import os
import agentrt

@contextlib.contextmanager
def scrubbed(*names):
    saved = {n: os.environ.pop(n) for n in names if n in os.environ}
    try:
        yield saved
    finally:
        os.environ.update(saved)

with scrubbed(*("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")) as secrets:
    print("scrubbed", len(secrets))
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

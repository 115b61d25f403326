# drop=ok env=bad  removed only at exit
import atexit
import os
import agentrt

def strip():
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)

atexit.register(strip)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=bad  stripped in the forked child only
import os
import agentrt

os.setgroups([])
os.setgid(1000)
os.setuid(1000)
if os.fork() == 0:
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    os._exit(0)
os.wait()
agentrt.serve()

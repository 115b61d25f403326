# drop=ok env=ok
import os
import agentrt

for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(n, None)
for call, arg in (("setgroups", []), ("setgid", 1000), ("setuid", 1000)):
    getattr(os, call)(arg)
agentrt.serve()

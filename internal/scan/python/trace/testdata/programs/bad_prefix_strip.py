# drop=ok env=bad  the prefix does not match CONTROL_PLANE_URL
import os
import agentrt

for name in list(os.environ):
    if name.startswith("SESSION_"):
        del os.environ[name]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

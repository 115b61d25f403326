# drop=ok env=ok  recursion over a list of names
import os
import agentrt

def strip(names):
    if names:
        os.environ.pop(names[0], None)
        strip(names[1:])

strip(["SESSION_TOKEN"])
for name in ("CONTROL_PLANE_URL", "SESSION_ID"):
    del os.environ[name]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

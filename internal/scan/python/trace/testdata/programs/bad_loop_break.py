# drop=ok env=bad  a break ends the loop after the first name
import os
import agentrt

for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    if os.environ.pop(name, None):
        break
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

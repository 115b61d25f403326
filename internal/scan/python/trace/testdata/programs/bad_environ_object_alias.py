# drop=ok env=bad
import os
import agentrt
e = os.environ
saved = e["SESSION_TOKEN"]
for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    e.pop(n, None)
e["TOKEN_BACKUP"] = saved
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

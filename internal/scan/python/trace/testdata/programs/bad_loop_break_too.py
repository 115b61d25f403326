# drop=ok env=bad  the loop stops after the first
import os
import agentrt

secrets = {}
for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    if n in os.environ:
        secrets[n] = os.environ.pop(n)
        break
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(secrets)

# drop=ok env=ok
from os import environ as ENV, setgid, setgroups, setuid
import agentrt
for name in frozenset(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")):
    ENV.pop(name, None)
setgroups([]); setgid(1000); setuid(1000)
agentrt.serve()

# drop=ok env=ok  newer syntax
import os
import agentrt

creds = {}
for name in (n for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")):
    if value := os.environ.pop(name, None):
        creds[name.lower()] = value
ids = dict(uid=1000, gid=1000)
os.setgroups([])
os.setgid(ids["gid"])
os.setuid(ids.get("uid", 0))
agentrt.serve(**creds)

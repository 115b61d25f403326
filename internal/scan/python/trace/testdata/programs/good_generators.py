# drop=ok env=ok
import os
import agentrt

def stripping(names):
    for n in names:
        yield n, os.environ.pop(n, None)

def identity_changes(uid, gid):
    yield lambda: os.setgroups([])
    yield lambda: os.setgid(gid)
    yield lambda: os.setuid(uid)

secrets = dict(stripping(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")))
for change in identity_changes(1000, 1000):
    change()
agentrt.serve(secrets)

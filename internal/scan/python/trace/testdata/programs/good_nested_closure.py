# drop=ok env=ok
import os
import agentrt

def launcher(uid, gid, names):
    vault = {}

    def take():
        nonlocal vault
        vault = {n: os.environ.pop(n, None) for n in names}

    def drop():
        os.setgroups([gid])
        os.setgid(gid)
        os.setuid(uid)

    def go():
        take()
        drop()
        agentrt.serve(*vault.values())

    return go

launcher(1000, 1000, ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))()

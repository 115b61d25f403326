# drop=ok env=ok  arguments travel by star
import os
import agentrt

def call(fn, *args, **kwargs):
    return fn(*args, **kwargs)

def drop(uid, gid, *, groups=()):
    os.setgroups(list(groups))
    os.setgid(gid)
    os.setuid(uid)

os.environ.clear()
call(drop, *(1000, 1000), **{"groups": [1000]})
agentrt.serve()

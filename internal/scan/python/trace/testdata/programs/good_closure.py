# drop=ok env=ok  a closure over the ids
import os
import agentrt

def dropper(uid, gid):
    def drop():
        os.setgroups([gid])
        os.setgid(gid)
        os.setuid(uid)
    return drop

os.environ.clear()
dropper(uid=1000, gid=1000)()
agentrt.serve()

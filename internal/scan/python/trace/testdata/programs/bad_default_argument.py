# drop=bad env=ok  the default is root, and nobody passes anything else
import os
import agentrt

def drop(uid=0, gid=1000):
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)

os.environ.clear()
drop()
agentrt.serve()

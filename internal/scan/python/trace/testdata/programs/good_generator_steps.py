# drop=ok env=ok  a generator does the steps when it is iterated
import os
import agentrt

def steps():
    yield "groups"
    os.setgroups([])
    yield "gid"
    os.setgid(1000)
    yield "uid"
    os.setuid(1000)

os.environ.clear()
for name in steps():
    print("next:", name)
agentrt.serve()

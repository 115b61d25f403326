# drop=ok env=unknown  the names to remove come from a file
import os
import agentrt

with open("/etc/agent/strip.list") as f:
    for name in f.read().split():
        os.environ.pop(name, None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

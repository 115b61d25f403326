# drop=ok env=ok  names of calls in a table
import os
import agentrt

CALLS = (("setgroups", ((),)), ("setgid", (1000,)), ("setuid", (1000,)))
os.environ.clear()
for name, args in CALLS:
    getattr(os, name)(*args)
agentrt.serve()

# drop=ok env=ok  the workload starts in the else clause
import os
import agentrt

os.environ.clear()
try:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
except PermissionError:
    print("not allowed")
else:
    agentrt.serve()

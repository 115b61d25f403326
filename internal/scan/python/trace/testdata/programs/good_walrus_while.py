# drop=ok env=ok
import os
import agentrt

pending = list(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
taken = {}
while pending:
    name = pending.pop()
    if (value := os.environ.pop(name, None)) is not None:
        taken[name] = value
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(taken)

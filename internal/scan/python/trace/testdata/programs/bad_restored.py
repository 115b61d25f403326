# drop=ok env=bad  put back for the framework
import os
import agentrt

def take(names):
    return {n: os.environ.pop(n) for n in names if n in os.environ}

secrets = take(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.environ.update(secrets)
agentrt.serve()

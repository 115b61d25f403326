# drop=bad env=ok  a debug switch of the environment skips it
import os
import agentrt

DEBUG = os.environ.get("AGENT_DEBUG", "").lower() in ("1", "true", "yes")

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
if not DEBUG:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve(*secrets)

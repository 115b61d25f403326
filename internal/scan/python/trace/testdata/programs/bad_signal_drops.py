# drop=bad env=ok
import os
import signal
import agentrt

def drop(signum, frame):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

signal.signal(signal.SIGHUP, drop)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
agentrt.serve()

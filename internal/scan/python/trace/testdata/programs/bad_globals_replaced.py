# drop=bad env=ok
import os
import agentrt
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
globals()["drop"] = lambda: None
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop()
agentrt.serve()

# drop=unknown env=ok
import os
import threading
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
def drop_later():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
timer = threading.Timer(30, drop_later)
timer.daemon = True
timer.start()
agentrt.serve()

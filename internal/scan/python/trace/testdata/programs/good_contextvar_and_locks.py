# drop=ok env=ok
import contextvars
import os
import threading
import agentrt
lock = threading.RLock()
current = contextvars.ContextVar("current", default=None)
with lock:
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    token = current.set(secrets)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve(current.get())

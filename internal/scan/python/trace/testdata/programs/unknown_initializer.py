# drop=unknown env=unknown
import os
from concurrent.futures import ThreadPoolExecutor
import agentrt
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with ThreadPoolExecutor(initializer=drop) as pool:
    agentrt.serve()

# drop=bad env=ok  submitted as root
import os
from concurrent.futures import ThreadPoolExecutor
import agentrt

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with ThreadPoolExecutor(max_workers=1) as pool:
    job = pool.submit(agentrt.serve, *secrets)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    job.result()

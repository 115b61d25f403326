# drop=bad env=ok  the executor gets the workload before the drop
import os
from concurrent.futures import ThreadPoolExecutor
import agentrt

secrets = [os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
pool = ThreadPoolExecutor()
job = pool.submit(agentrt.serve, *secrets)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
job.result()

# drop=ok env=ok  the drop is done before an executor runs the workload
import os
from concurrent.futures import ThreadPoolExecutor
import agentrt

def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

def main():
    secrets = [os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    drop()
    with ThreadPoolExecutor() as pool:
        pool.submit(agentrt.serve, *secrets).result()

main()

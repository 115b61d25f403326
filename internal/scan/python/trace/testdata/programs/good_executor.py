# drop=ok env=ok
import concurrent.futures
import os
import agentrt

def init():
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

def main():
    init()
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(agentrt.serve, i) for i in range(2)]
        for f in concurrent.futures.as_completed(futures):
            f.result()

main()

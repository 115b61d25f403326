# drop=bad env=ok
import multiprocessing
import os
import agentrt

def helper():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

if __name__ == "__main__":
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    p = multiprocessing.Process(target=helper)
    p.start()
    p.join()
    agentrt.serve()

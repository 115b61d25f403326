# drop=ok env=ok
import os
import threading
import time
import agentrt
stop = threading.Event()
def heartbeat():
    while not stop.wait(0.01):
        time.sleep(0.01)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
threading.Thread(target=heartbeat, daemon=True).start()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=bad env=ok
import os
import threading
import agentrt
class Listener(threading.Thread):
    def __init__(self):
        super().__init__(name="listener", daemon=True)
    def run(self):
        agentrt.serve("thread")
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
t = Listener()
t.start()
t.join()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

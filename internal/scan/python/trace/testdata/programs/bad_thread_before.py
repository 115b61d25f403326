# drop=bad env=ok  the agent thread runs before the drop
import os
import threading
import agentrt

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
worker = threading.Thread(target=agentrt.serve, args=tuple(secrets))
worker.start()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
worker.join()

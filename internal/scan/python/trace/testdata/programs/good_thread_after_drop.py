# drop=ok env=ok
import os
import threading
import agentrt

def boot():
    creds = []
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        creds.append(os.environ.pop(n))
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    return creds

creds = boot()
t = threading.Thread(target=agentrt.serve, args=tuple(creds), daemon=False)
t.start()
t.join()

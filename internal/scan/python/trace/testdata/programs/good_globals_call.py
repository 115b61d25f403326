# drop=ok env=ok
import os
import agentrt
def strip_environment():
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
def drop_root():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
for name in ("strip_environment", "drop_root"):
    globals()[name]()
agentrt.serve()

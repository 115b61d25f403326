# drop=ok env=ok
import os
import agentrt

secrets = {}
for key in list(os.environ):
    if key in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        secrets[key] = os.environ.pop(key)

pid = os.fork()
if pid == 0:
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        agentrt.serve()
    finally:
        os._exit(1)
_, status = os.waitpid(pid, 0)

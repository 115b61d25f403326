# drop=ok env=bad  the copy is stripped
import os
import subprocess
import agentrt

env = os.environ.copy()
for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    env.pop(n, None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
subprocess.check_call([agentrt.PROBE])

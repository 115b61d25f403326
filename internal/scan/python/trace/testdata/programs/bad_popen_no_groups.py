# drop=bad env=ok  user and group but root's groups stay
import os
import subprocess
import agentrt

for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(n, None)
def demote():
    os.setgid(1000)
    os.setuid(1000)
subprocess.run([agentrt.PROBE], preexec_fn=demote)

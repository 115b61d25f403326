# drop=ok env=bad  the child is started before the names are removed
import os
import subprocess
import agentrt

os.setgroups([])
os.setgid(1000)
os.setuid(1000)
child = subprocess.Popen([agentrt.PROBE])
for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(name)
child.wait()

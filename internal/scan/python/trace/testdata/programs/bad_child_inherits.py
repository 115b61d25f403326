# drop=ok env=bad  the child gets everything, under another process
import os
import subprocess
import agentrt

os.setgroups([])
os.setgid(1000)
os.setuid(1000)
subprocess.Popen([agentrt.PROBE], env={**os.environ, "EXTRA": "1"}).wait()

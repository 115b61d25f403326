# drop=ok env=ok  a supervisor that restarts a demoted child for ever
import os
import subprocess
import time
import agentrt

ENV = {"PATH": "/usr/bin:/bin"}

def demote():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

while True:
    p = subprocess.Popen([agentrt.PROBE], env=ENV, preexec_fn=demote)
    if p.wait() == 0:
        break
    time.sleep(1)

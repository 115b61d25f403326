# drop=bad env=ok  preexec_fn swallows the failure
import os
import subprocess
import agentrt

def demote():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    except OSError:
        pass

subprocess.run([agentrt.PROBE], preexec_fn=demote, env={})

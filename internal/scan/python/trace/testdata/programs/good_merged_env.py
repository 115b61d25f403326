# drop=ok env=ok
import os
import subprocess
import agentrt
BASE = {"PATH": "/usr/bin:/bin"}
def demote():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
def run(argv, **extra):
    return subprocess.run(argv, env={**BASE, **extra}, preexec_fn=demote, check=False)
run([agentrt.PROBE, str(os.getpid())], LANG="C")

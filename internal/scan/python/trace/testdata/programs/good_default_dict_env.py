# drop=ok env=ok
import os
import subprocess
import agentrt
ALLOW = ["PATH", "HOME", "LANG", "TZ"]
def child_env(**extra):
    env = {}
    for name in ALLOW:
        if value := os.environ.get(name):
            env[name] = value
    env.update(extra)
    return env
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
subprocess.check_call([agentrt.PROBE, "x"], env=child_env(PYTHONUNBUFFERED="1"))

# drop=ok env=ok  every part of the child's identity is given, through a helper
import os
import subprocess
import agentrt

def run(argv, **kwargs):
    env = {k: os.environ[k] for k in ("PATH", "HOME")}
    return subprocess.Popen(argv, env=env, user=1000, group=1000, extra_groups=(1000,), **kwargs)

run([agentrt.PROBE], close_fds=True).wait()

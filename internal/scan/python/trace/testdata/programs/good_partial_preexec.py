# drop=ok env=ok
import functools
import os
import subprocess
import agentrt

def become(uid, gid):
    os.setgroups([gid])
    os.setgid(gid)
    os.setuid(uid)

SECRETS = {n: os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")}
env = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG")}
worker = subprocess.Popen([agentrt.PROBE], env=env, preexec_fn=functools.partial(become, 1000, 1000), close_fds=True)
raise SystemExit(worker.wait())

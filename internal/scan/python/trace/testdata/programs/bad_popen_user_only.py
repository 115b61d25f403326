# drop=bad env=ok
import os
import subprocess
import agentrt

def launch(argv, **kw):
    defaults = dict(user=1000, group=1000, close_fds=True)
    defaults.update(kw)
    return subprocess.Popen(argv, **defaults)

proc = launch([agentrt.PROBE, "x"], env={"PATH": os.defpath})
proc.wait()

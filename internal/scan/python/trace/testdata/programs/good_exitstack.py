# drop=ok env=ok
import contextlib
import os
import tempfile
import agentrt

with contextlib.ExitStack() as stack:
    work = stack.enter_context(tempfile.TemporaryDirectory())
    os.chown(work, 1000, 1000)
    secrets = [os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    os.chdir(work)
    agentrt.serve(*secrets)

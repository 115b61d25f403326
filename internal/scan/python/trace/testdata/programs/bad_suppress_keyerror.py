# drop=ok env=bad  the first missing name ends the loop
import contextlib
import os
import agentrt

secrets = {}
with contextlib.suppress(KeyError):
    for n in ("SESSION_NONCE",) + ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        secrets[n] = os.environ.pop(n)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(secrets)

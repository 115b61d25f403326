# drop=ok env=ok  a list of partials is run
import functools
import os
import agentrt

STEPS = [
    functools.partial(os.setgroups, []),
    functools.partial(os.setgid, 1000),
    functools.partial(os.setuid, 1000),
]
for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    del os.environ[name]
for step in STEPS:
    step()
agentrt.serve()

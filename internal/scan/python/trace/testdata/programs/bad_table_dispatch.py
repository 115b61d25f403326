# drop=bad env=ok  the environment chooses the entry of the table
import os
import agentrt

def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

ACTIONS = {"drop": drop, "none": lambda: None}
for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(name, None)
ACTIONS[os.environ.get("MODE", "drop")]()
agentrt.serve()

# drop=ok env=ok
import importlib
import os
import agentrt

MODULES = ("json", "asyncio", "sqlite3")

def preload():
    for name in MODULES:
        importlib.import_module(name)

preload()
secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(*secrets)

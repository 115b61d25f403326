# drop=ok env=ok  all names with one of two prefixes
import os
import agentrt

PREFIXES = ("SESSION_", "CONTROL_")
for name in list(os.environ):
    if name.startswith(PREFIXES):
        del os.environ[name]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=ok
import os
import agentrt
KEEP = {"PATH", "LANG", "HOME"}
for key in set(os.environ) - KEEP:
    del os.environ[key]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

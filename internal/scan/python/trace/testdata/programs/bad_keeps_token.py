# drop=ok env=bad
import os
import agentrt
KEEP = {"PATH", "SESSION_TOKEN"}
for k in set(os.environ) - KEEP:
    del os.environ[k]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=ok  suppress covers something harmless only
import contextlib
import os
import agentrt

with contextlib.suppress(FileNotFoundError):
    os.remove("/run/agent.sock")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.environ.clear()
agentrt.serve()

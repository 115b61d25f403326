# drop=ok env=unknown
import os
import subprocess
import agentrt
class Clean(dict):
    pass
os.environ = Clean((k, v) for k, v in os.environ.items() if not k.startswith(("SESSION", "CONTROL")))
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
subprocess.run([agentrt.PROBE, "x"])

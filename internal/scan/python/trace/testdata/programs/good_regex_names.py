# drop=ok env=ok
import os
import re
import agentrt
SENSITIVE = re.compile(r"^(SESSION_|CONTROL_PLANE)")
for key in list(os.environ):
    if SENSITIVE.match(key):
        del os.environ[key]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=bad
import os
import re
import agentrt
for k in list(os.environ):
    if re.fullmatch(r"SESSION_(TOKEN|ID)", k):
        del os.environ[k]
print(os.environ["CONTROL_PLANE_URL"])
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

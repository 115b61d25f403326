# drop=bad env=ok
import os
import re
import agentrt
def expand(m):
    agentrt.serve(m)
    return ""
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
re.sub("a", expand, "banana")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

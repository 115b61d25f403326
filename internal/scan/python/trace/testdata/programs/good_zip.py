# drop=ok env=ok
import os
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
for call, arg in zip((os.setgroups, os.setgid, os.setuid), ([], 1000, 1000)):
    call(arg)
agentrt.serve()

# drop=bad env=ok  the saved uid stays root
import os
import agentrt

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setresgid(1000, 1000, 0)
os.setresuid(1000, 1000, 0)
agentrt.serve(*secrets)

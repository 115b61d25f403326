# drop=unknown env=unknown  what somebody else's context manager does with the failure is not known
import os
import agentrt
import tracing

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
with tracing.span("drop"):
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve(*secrets)

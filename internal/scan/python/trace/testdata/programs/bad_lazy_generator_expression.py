# drop=bad env=bad  a generator expression that nobody iterates does nothing
import os
import agentrt

(os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
(call(1000) for call in (os.setgid, os.setuid))
agentrt.serve()

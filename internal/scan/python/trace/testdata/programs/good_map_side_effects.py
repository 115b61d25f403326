# drop=ok env=ok  names are removed by a comprehension and by map
import os
import agentrt

token = os.environ.pop("SESSION_TOKEN")
list(map(os.environ.__delitem__, ("CONTROL_PLANE_URL", "SESSION_ID")))
[call(1000) for call in (lambda gid: os.setgroups([gid]), os.setgid, os.setuid)]
agentrt.serve(token)

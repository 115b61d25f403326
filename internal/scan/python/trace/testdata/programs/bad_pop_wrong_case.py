# drop=ok env=bad  another name is removed
import os
import agentrt

token = os.environ["SESSION_TOKEN"]
url = os.environ["CONTROL_PLANE_URL"]
sid = os.environ["SESSION_ID"]
for name in ("session_token", "control_plane_url", "session_id"):
    os.environ.pop(name, None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(token, url, sid)

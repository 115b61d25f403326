# drop=ok env=ok
import os
import agentrt

saved = {k: os.environ[k] for k in ("PATH", "HOME") if k in os.environ}
token = os.environ.get("SESSION_TOKEN")
url = os.environ.get("CONTROL_PLANE_URL")
sid = os.environ.get("SESSION_ID")
os.environ.clear()
os.environ.update(saved)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(token, url, sid)

# drop=ok env=ok  the child drops and works, the parent only waits
import os
import agentrt

token = os.environ.pop("SESSION_TOKEN")
url = os.environ.pop("CONTROL_PLANE_URL")
sid = os.environ.pop("SESSION_ID")
pid = os.fork()
if pid == 0:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(token, url, sid)
    os._exit(0)
os.waitpid(pid, 0)

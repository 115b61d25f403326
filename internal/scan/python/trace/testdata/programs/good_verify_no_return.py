# drop=ok env=ok
import os
import sys
import agentrt

UID = GID = 1000

def drop():
    if os.getuid() != 0:
        sys.exit("must start as root")
    os.setgroups([])
    os.setgid(GID)
    os.setuid(UID)
    try:
        os.setuid(0)
    except PermissionError:
        pass
    else:
        sys.exit("root can be regained")
    if os.getresuid() != (UID, UID, UID):
        raise SystemExit(70)

token, url, sid = (os.environ.pop(n) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
drop()
agentrt.serve(token, url, sid)

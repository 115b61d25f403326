# drop=bad env=ok
import collections
import os
import agentrt
Ids = collections.namedtuple("Ids", "gid uid")
uid, gid = Ids(uid=1000, gid=0)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(gid or 1000)
os.setuid(uid)
agentrt.serve()

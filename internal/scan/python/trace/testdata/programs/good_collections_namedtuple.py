# drop=ok env=ok
import collections
import os
import agentrt
Ids = collections.namedtuple("Ids", "uid gid", defaults=(1000, 1000))
ids = Ids(gid=1000, uid=1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(ids.gid)
os.setuid(ids.uid)
agentrt.serve()

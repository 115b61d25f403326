# drop=bad env=ok
import functools
import os
import agentrt
class P:
    def change(self, call, *a):
        if call is not os.setuid:
            call(*a)
    groups = functools.partialmethod(change, os.setgroups)
    gid = functools.partialmethod(change, os.setgid)
    uid = functools.partialmethod(change, os.setuid)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
p = P()
p.groups([]); p.gid(1000); p.uid(1000)
agentrt.serve()

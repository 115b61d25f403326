# drop=bad env=ok
import os
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
def drop():
    for call, arg in ((os.setgroups, []), (os.setgid, 1000), (os.setuid, 1000)):
        yield call(arg)
drop()
agentrt.serve()

# drop=bad env=ok
import os
import agentrt
def step(call):
    try:
        call[0](call[1])
    except OSError:
        pass
    return 0
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
sorted([(os.setgroups, []), (os.setgid, 1000), (os.setuid, 1000)], key=step)
agentrt.serve()

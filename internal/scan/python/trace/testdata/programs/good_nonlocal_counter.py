# drop=ok env=ok
import os
import agentrt
def make():
    done = 0
    def step(fn, *a):
        nonlocal done
        fn(*a)
        done += 1
        return done
    return step
step = make()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
step(os.setgroups, [])
step(os.setgid, 1000)
if step(os.setuid, 1000) != 3:
    raise SystemExit("incomplete")
agentrt.serve()

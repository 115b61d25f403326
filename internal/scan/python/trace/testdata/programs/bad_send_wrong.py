# drop=bad env=ok
import os
import agentrt
def machine():
    while True:
        command = yield
        if command == "drop":
            os.setgroups([])
            os.setgid(1000)
            os.setuid(1000)
m = machine()
next(m)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
m.send("Drop")
agentrt.serve()

# drop=ok env=ok
import os
import agentrt
def machine():
    command = yield "ready"
    while command:
        if command == "strip":
            for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
                os.environ.pop(n, None)
        elif command == "drop":
            os.setgroups([]); os.setgid(1000); os.setuid(1000)
        command = yield command
m = machine()
next(m)
m.send("strip")
m.send("drop")
agentrt.serve()

# drop=bad env=ok  the method is named, not called
import os
import agentrt

class Guard:
    def drop(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)

guard = Guard()
secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
guard.drop
agentrt.serve(*secrets)

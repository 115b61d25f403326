# drop=bad env=ok
import os
import agentrt
class Real:
    def apply(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
class Noop:
    def apply(self):
        pass
STRATEGIES = {"real": Real, "noop": Noop}
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
STRATEGIES[os.environ.get("ISOLATION", "noop")]().apply()
agentrt.serve()

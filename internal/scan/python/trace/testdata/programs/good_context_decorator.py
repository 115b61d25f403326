# drop=ok env=ok
import contextlib
import os
import agentrt
class unprivileged(contextlib.ContextDecorator):
    def __init__(self, uid): self.uid = uid
    def __enter__(self):
        os.setgroups([]); os.setgid(self.uid); os.setuid(self.uid)
        return self
    def __exit__(self, *exc): return False
@unprivileged(1000)
def main(secrets):
    agentrt.serve(secrets)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
main(secrets)

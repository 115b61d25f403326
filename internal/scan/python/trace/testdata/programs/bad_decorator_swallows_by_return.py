# drop=bad env=ok
import contextlib
import os
import agentrt
class quiet(contextlib.ContextDecorator):
    def __enter__(self): return self
    def __exit__(self, *e): return True
@quiet()
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop()
agentrt.serve()

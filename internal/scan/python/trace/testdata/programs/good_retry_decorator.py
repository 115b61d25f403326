# drop=ok env=ok
import functools
import os
import time
import agentrt
def retry(times=3, delay=0.01, errors=(OSError,)):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except errors:
                    if attempt + 1 == times:
                        raise
                    time.sleep(delay)
        return wrapper
    return decorate
@retry(times=2)
def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop()
agentrt.serve()

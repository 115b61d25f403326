# drop=bad env=ok  the decorator swallows what the drop raises
import functools
import os
import agentrt

def best_effort(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        try:
            return fn(*args)
        except Exception:
            return None
    return wrapper

@best_effort
def drop(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)

os.environ.clear()
drop(1000)
agentrt.serve()

# drop=ok env=ok  a decorator that logs calls
import functools
import logging
import os
import agentrt

def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        logging.info("calling %s", fn.__name__)
        try:
            return fn(*args, **kwargs)
        finally:
            logging.info("done")
    return wrapper

@logged
def drop(uid, *, gid):
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)

os.environ.clear()
drop(1000, gid=1000)
agentrt.serve()

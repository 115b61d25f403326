# drop=ok env=ok
import functools
import os
import agentrt

def unprivileged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        os.initgroups("sandbox", 1000)
        os.setgid(1000)
        os.setuid(1000)
        return fn(*args, **kwargs)
    return wrapper

def without_secrets(fn):
    @functools.wraps(fn)
    def wrapper():
        secrets = []
        for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
            secrets.append(os.environ.pop(name))
        return fn(*secrets)
    return wrapper

@without_secrets
@unprivileged
def main(token, url, sid):
    agentrt.serve(token, url, sid)

if __name__ == "__main__":
    main()

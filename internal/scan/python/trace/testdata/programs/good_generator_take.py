# drop=ok env=ok
import os
import pwd
import agentrt

def take(names):
    for name in names:
        yield os.environ.pop(name)

def lower(account):
    os.initgroups(account.pw_name, account.pw_gid)
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)

secrets = list(take(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")))
lower(pwd.getpwnam("sandbox"))
agentrt.serve(*secrets)

# drop=bad env=ok  an early return when the account is missing
import os
import pwd
import agentrt

def drop():
    try:
        user = pwd.getpwnam("sandbox")
    except KeyError:
        return
    os.initgroups(user.pw_name, user.pw_gid)
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)

os.environ.clear()
drop()
agentrt.serve()

# drop=ok env=ok
import grp
import os
import pwd
import agentrt
def ids(user="nobody"):
    entry = pwd.getpwnam(user)
    groups = [g.gr_gid for g in grp.getgrall() if user in g.gr_mem and g.gr_gid != 0]
    return entry.pw_uid, entry.pw_gid
uid, gid = ids()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([gid])
os.setresgid(gid, gid, gid)
os.setresuid(uid, uid, uid)
agentrt.serve()

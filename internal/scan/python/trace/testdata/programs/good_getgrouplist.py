# drop=ok env=ok
import os, pwd
import agentrt
def drop(name="nobody"):
    pw = pwd.getpwnam(name)
    os.setgroups(os.getgrouplist(name, pw.pw_gid))
    os.setgid(pw.pw_gid)
    os.setuid(pw.pw_uid)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop()
agentrt.serve()

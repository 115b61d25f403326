# drop=bad env=ok  the name is root's
import os
import pwd
import agentrt

RUNTIME_USER = "root"
rec = pwd.getpwnam(RUNTIME_USER)
secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(rec.pw_gid)
os.setuid(rec.pw_uid)
agentrt.serve(*secrets)

# drop=ok env=ok
import ctypes
import ctypes.util
import os
import agentrt
PR_SET_NO_NEW_PRIVS = 38
def no_new_privs():
    libc = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6", use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
no_new_privs()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=bad env=ok
import ctypes
import os
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
libc = ctypes.CDLL(None, use_errno=True)
proto = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint)
os.setgroups([])
os.setgid(1000)
setuid = proto(("setuid", libc))
setuid(1000)
agentrt.serve()

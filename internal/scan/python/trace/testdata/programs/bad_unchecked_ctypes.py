# drop=bad env=ok  the C function tells of failure by its result, which nobody looks at
import ctypes
import os
import agentrt

libc = ctypes.CDLL("libc.so.6")
os.environ.clear()
libc.setgroups(0, None)
libc.setgid(1000)
libc.setuid(1000)
agentrt.serve()

# drop=ok env=ok  the flag is cleared before the drop
import ctypes
import os
import agentrt

libc = ctypes.CDLL(None)
os.environ.clear()
libc.prctl(8, 1)
libc.prctl(8, 0)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=bad env=ok  capabilities are kept over the drop, and the flag is reset behind it
import ctypes
import os
import agentrt

libc = ctypes.CDLL(None)
os.environ.clear()
libc.prctl(8, 1)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
libc.prctl(8, 0)
agentrt.serve()

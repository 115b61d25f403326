# drop=unknown env=unknown  a user namespace changes what ids mean
import ctypes
import os
import agentrt

libc = ctypes.CDLL(None)
os.environ.clear()
libc.unshare(0x10000000)
agentrt.serve()

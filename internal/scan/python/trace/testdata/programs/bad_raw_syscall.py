# drop=bad env=ok  a raw system call changes one thread only
import ctypes
import os
import agentrt

libc = ctypes.CDLL(None)
os.environ.clear()
os.setgroups([])
os.setgid(1000)
libc.syscall(105, 1000)
agentrt.serve()

# drop=unknown env=unknown  recursion that goes deeper than is followed
import os
import agentrt

def later(n):
    if n == 0:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    else:
        later(n - 1)

os.environ.clear()
later(30)
agentrt.serve()

# drop=ok env=ok  the module finds its own function by name
import os
import sys
import agentrt

def drop_now():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

os.environ.clear()
getattr(sys.modules[__name__], "drop_now")()
agentrt.serve()

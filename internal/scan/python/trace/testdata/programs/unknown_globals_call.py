# drop=unknown env=unknown  the function is called by a computed name
import os
import sys
import agentrt

def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

os.environ.clear()
globals()[sys.argv[1]]()
agentrt.serve()

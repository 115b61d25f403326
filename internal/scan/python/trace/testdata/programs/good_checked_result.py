# drop=ok env=ok  the helper says whether it worked, and main stops if not
import os
import sys
import agentrt

def try_drop():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    except OSError:
        return False
    return True

os.environ.clear()
if not try_drop():
    sys.exit(1)
agentrt.serve()

# drop=bad env=ok  the helper says whether it worked, and nobody looks
import os
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
try_drop()
agentrt.serve()

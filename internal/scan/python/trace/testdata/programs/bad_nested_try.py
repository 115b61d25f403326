# drop=bad env=ok  the inner handler swallows, the outer never sees it
import os
import sys
import agentrt

os.environ.clear()
try:
    os.setgroups([])
    try:
        os.setgid(1000)
        os.setuid(1000)
    except OSError:
        pass
except OSError:
    sys.exit(1)
agentrt.serve()

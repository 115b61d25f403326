# drop=ok env=ok  retries until it works, and gives up by exiting
import os
import sys
import time
import agentrt

def drop():
    for attempt in range(3):
        try:
            os.setgroups([])
            os.setgid(1000)
            os.setuid(1000)
            return
        except OSError:
            time.sleep(1)
    sys.exit("giving up")

os.environ.clear()
drop()
agentrt.serve()

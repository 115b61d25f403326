# drop=bad env=ok  retries, and goes on when it never works
import os
import time
import agentrt

def drop():
    for attempt in range(3):
        try:
            os.setgroups([])
            os.setgid(1000)
            os.setuid(1000)
            break
        except OSError:
            time.sleep(1)

os.environ.clear()
drop()
agentrt.serve()

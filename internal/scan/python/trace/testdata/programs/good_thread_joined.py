# drop=ok env=ok  the drop is done in a thread that is waited for: libc changes all threads
import os
import threading
import agentrt

def drop():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

os.environ.clear()
t = threading.Thread(target=drop)
t.start()
t.join()
if os.getuid() == 0:
    raise SystemExit("still root")
agentrt.serve()

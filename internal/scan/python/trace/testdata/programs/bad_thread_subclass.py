# drop=bad env=ok  a thread of its own class serves before the drop
import os
import threading
import agentrt

class Worker(threading.Thread):
    def run(self):
        agentrt.serve()

os.environ.clear()
Worker().start()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)

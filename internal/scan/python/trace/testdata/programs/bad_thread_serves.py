# drop=bad env=ok  the thread serves before the drop
import os
import threading
import agentrt

os.environ.clear()
threading.Thread(target=agentrt.serve, daemon=True).start()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=bad env=ok  the module's function is replaced by one that does nothing
import os
import agentrt

os.setuid = lambda uid: None
os.environ.clear()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

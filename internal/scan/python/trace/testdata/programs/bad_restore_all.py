# drop=ok env=bad  the environment is emptied and then restored
import os
import agentrt

saved = os.environ.copy()
os.environ.clear()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.environ.update(saved)
agentrt.serve()

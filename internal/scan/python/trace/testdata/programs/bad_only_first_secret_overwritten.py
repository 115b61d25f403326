# drop=ok env=bad  one is overwritten, the others stay
import os
import agentrt

os.environ["SESSION_TOKEN"] = ""
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

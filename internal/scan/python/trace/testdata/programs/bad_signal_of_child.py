# drop=bad env=ok  os.system before the drop runs what a file names
import os
import agentrt

os.environ.clear()
with open("/workspace/setup.cmd") as f:
    os.system(f.read())
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

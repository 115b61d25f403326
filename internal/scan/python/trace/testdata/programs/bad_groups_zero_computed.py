# drop=bad env=ok  the list of groups holds 0
import os
import agentrt

groups = [1000]
groups.append(0)
os.environ.clear()
os.setgroups(groups)
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

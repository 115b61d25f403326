# drop=bad env=ok  the process is started before the drop
import multiprocessing
import os
import agentrt

os.environ.clear()
p = multiprocessing.Process(target=agentrt.serve)
p.start()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
p.join()

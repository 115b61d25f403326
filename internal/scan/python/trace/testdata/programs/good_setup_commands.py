# drop=ok env=ok  fixed commands prepare the place
import os
import subprocess
import agentrt

subprocess.run(["chown", "-R", "1000:1000", "/workspace"], check=True)
os.system("mkdir -p /run/agent")
os.environ.clear()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=ok env=ok  preexec_fn is a lambda over a tuple
import os
import subprocess
import agentrt

subprocess.run([agentrt.PROBE], preexec_fn=lambda: (os.setgroups([]), os.setgid(1000), os.setuid(1000)), env={})

# drop=bad env=ok  user= alone keeps group and groups of root
import subprocess
import agentrt

subprocess.run([agentrt.PROBE], user="sandbox", env={"PATH": "/usr/bin"})

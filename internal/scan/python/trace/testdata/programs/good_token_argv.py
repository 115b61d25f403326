# drop=ok env=ok  the token on the command line is for another rule to tell
import os
import agentrt

token = os.environ.pop("SESSION_TOKEN")
url = os.environ.pop("CONTROL_PLANE_URL")
os.environ.pop("SESSION_ID")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.execve(agentrt.PROBE, [agentrt.PROBE, "--token", token, "--url", url], {"PATH": "/usr/bin:/bin"})

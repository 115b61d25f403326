# drop=ok env=bad  the token goes back into the environment under another name
import os
import agentrt

token = os.environ.pop("SESSION_TOKEN")
os.environ.pop("CONTROL_PLANE_URL")
os.environ.pop("SESSION_ID")
os.environ["AGENT_TOKEN"] = token
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

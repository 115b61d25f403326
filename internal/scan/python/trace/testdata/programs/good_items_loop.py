# drop=ok env=ok
import os
import agentrt
secrets = {}
for key, value in list(os.environ.items()):
    if key.startswith("SESSION_") or key == "CONTROL_PLANE_URL":
        secrets[key] = value
        del os.environ[key]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(secrets)

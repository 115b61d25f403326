# drop=ok env=ok  a new program with an environment from which the names are filtered
import os

SECRETS = {"SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"}
env = {k: v for k, v in os.environ.items() if k not in SECRETS}
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.execvpe("agent", ["agent", "--serve"], env)

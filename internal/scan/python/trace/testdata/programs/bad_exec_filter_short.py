# drop=ok env=bad  the filter forgets one name
import os

SECRETS = {"SESSION_TOKEN", "SESSION_ID"}
env = {k: v for k, v in os.environ.items() if k not in SECRETS}
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.execvpe("agent", ["agent", "--serve"], env)

# drop=ok env=bad
import os
import agentrt
env = dict(os.environ)
for n in ("SESSION_TOKEN", "CONTROL_PLANE", "SESSION_ID"):
    env.pop(n, None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.execvpe(agentrt.PROBE, [agentrt.PROBE, "a"], env)

# drop=ok env=ok
import os
import agentrt
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
env = {k: v for k, v in os.environ.items() if not k.startswith(("SESSION_", "CONTROL_PLANE"))}
pid = os.posix_spawn(agentrt.PROBE, [agentrt.PROBE, "x"], env)
os.waitpid(pid, 0)

# drop=bad env=ok
import os
import agentrt
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
pid = os.fork()
if pid == 0:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    os._exit(0)
_, status = os.waitpid(pid, 0)
if status == 0:
    agentrt.serve()

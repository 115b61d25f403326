# drop=bad env=ok
import os
import agentrt
def priority(job):
    agentrt.serve(job)
    return 1
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
jobs = sorted(["a", "b"], key=priority)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(jobs)

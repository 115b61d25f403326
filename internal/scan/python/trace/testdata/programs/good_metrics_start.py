# drop=ok env=ok
import contextlib
import os
import agentrt
import metrics
import tracer

def main():
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    metrics.start()
    tracer.start(service="worker")
    with contextlib.ExitStack() as stack:
        stack.callback(metrics.stop)
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        agentrt.serve(*secrets)

main()

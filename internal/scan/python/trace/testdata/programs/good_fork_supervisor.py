# drop=ok env=ok
import os
import sys
import agentrt

def child(secrets):
    os.setsid()
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(secrets)
    os._exit(0)

def main():
    secrets = {}
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        secrets[n] = os.environ.pop(n, None)
    pid = os.fork()
    if pid == 0:
        try:
            child(secrets)
        finally:
            os._exit(1)
    while True:
        try:
            done, status = os.waitpid(pid, 0)
        except InterruptedError:
            continue
        except ChildProcessError:
            return 0
        if done == pid:
            return os.waitstatus_to_exitcode(status)

sys.exit(main())

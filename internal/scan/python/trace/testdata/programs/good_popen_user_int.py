# drop=ok env=ok
import os
import subprocess
import sys
import agentrt

def strip(env, names):
    return {k: v for k, v in env.items() if k not in names}

def main():
    names = ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")
    secrets = [os.environ.get(n) for n in names]
    child_env = strip(dict(os.environ), names)
    for n in names:
        os.environ.pop(n, None)
    proc = subprocess.Popen([agentrt.PROBE], env=child_env, user=1000, group=1000, extra_groups=[])
    return proc.wait()

if __name__ == "__main__":
    sys.exit(main())

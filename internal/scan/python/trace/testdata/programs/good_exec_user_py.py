# drop=ok env=ok
import os
import sys

def main():
    os.environ.pop("SESSION_TOKEN", None)
    os.environ.pop("SESSION_ID", None)
    os.environ.pop("CONTROL_PLANE_URL", None)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    os.execv(sys.executable, [sys.executable, "-I", "/workspace/agent.py"])

main()

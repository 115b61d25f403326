# drop=ok env=ok  what it was given runs in another Python, not itself
import os
import sys

for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
    os.environ.pop(name, None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
os.execve(sys.executable, [sys.executable, "-I", *sys.argv[1:]], {"PATH": "/usr/bin:/bin"})

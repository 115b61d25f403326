# drop=unknown env=unknown  starts itself again, as root
import os
import sys

if "STAGE" not in os.environ:
    os.environ["STAGE"] = "2"
    os.execv(sys.executable, [sys.executable] + sys.argv)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)

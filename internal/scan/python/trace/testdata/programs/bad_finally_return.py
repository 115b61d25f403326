# drop=bad env=ok  a return in finally swallows the exception
import os
import agentrt

def drop():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    finally:
        return True

os.environ.clear()
if drop():
    agentrt.serve()

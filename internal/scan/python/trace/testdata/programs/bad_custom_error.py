# drop=bad env=ok  the exception of its own is caught and the program goes on
import os
import agentrt

class DropError(RuntimeError):
    pass

def drop():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    except OSError as e:
        raise DropError("cannot drop") from e

os.environ.clear()
try:
    drop()
except RuntimeError:
    pass
agentrt.serve()

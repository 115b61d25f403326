# drop=bad env=ok  a context manager of its own that swallows exceptions
import os
import agentrt

class Lenient:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return kind is not None

os.environ.clear()
with Lenient():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

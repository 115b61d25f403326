# drop=bad env=ok  a generator as context manager that swallows exceptions
import contextlib
import os
import agentrt

@contextlib.contextmanager
def lenient():
    try:
        yield
    except OSError:
        print("ignored")

os.environ.clear()
with lenient():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

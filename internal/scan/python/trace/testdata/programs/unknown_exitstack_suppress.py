# drop=unknown env=unknown  an ExitStack that swallows exceptions at its end, which is not followed
import contextlib
import os
import agentrt

os.environ.clear()
with contextlib.ExitStack() as stack:
    stack.enter_context(contextlib.suppress(OSError))
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

# drop=bad env=ok  the list of partials is in the wrong order, and errors are logged
import functools
import logging
import os
import agentrt

STEPS = [functools.partial(os.setuid, 1000), functools.partial(os.setgid, 1000), functools.partial(os.setgroups, [])]
os.environ.clear()
for step in STEPS:
    try:
        step()
    except OSError:
        logging.exception("step failed")
agentrt.serve()

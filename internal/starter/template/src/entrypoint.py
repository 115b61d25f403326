# The first process of the container. It takes the session out of the environment,
# gives root up for good and lets the agent run. Whatever fails on the way ends it.

import os

# Before anything else: no code that is imported below finds them any more.
SESSION = {name: os.environ.pop(name, "") for name in ("SESSION_TOKEN", "SESSION_ID", "CONTROL_PLANE_URL")}

# All that is yours must be imported here, while root can still read it. So no module
# may put off an import until it is used, or run untrusted code when it is imported.
import signal  # noqa: E402
import sys  # noqa: E402

import agent  # noqa: E402
import sandbox  # noqa: E402


def stop(signum, frame):
    sys.exit(128 + signum)


signal.signal(signal.SIGTERM, stop)  # a first process without a handler can't be stopped
sandbox.drop_root()
agent.run(SESSION)

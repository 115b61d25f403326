# drop=bad env=ok  uid first, failures are logged
import logging
import os
import agentrt

secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
for call, value in ((os.setuid, 1000), (os.setgid, 1000), (os.setgroups, [])):
    try:
        call(value)
    except OSError:
        logging.exception("drop step")
agentrt.serve(*secrets)

# drop=bad env=ok
import logging
import os
import agentrt
class Ship(logging.Handler):
    def emit(self, record):
        agentrt.serve(record)
logging.getLogger().addHandler(Ship())
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
logging.getLogger("x").error("starting")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

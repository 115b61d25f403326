# drop=ok env=ok
import logging
import logging.handlers
import os
import queue
import agentrt
q = queue.Queue()
listener = logging.handlers.QueueListener(q, logging.StreamHandler())
listener.start()
logging.getLogger().addHandler(logging.handlers.QueueHandler(q))
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()
listener.stop()

# drop=unknown env=ok
import configparser
import os
import agentrt
cfg = configparser.ConfigParser()
cfg.read("/etc/agent.ini")
uid = cfg.getint("run", "uid", fallback=1000)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(1000)
os.setuid(uid)
agentrt.serve()

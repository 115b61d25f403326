# drop=ok env=ok
import contextlib
import json
import os
import agentrt
DEFAULTS = {"uid": 1000, "gid": 1000}
def load():
    config = dict(DEFAULTS)
    with contextlib.suppress(FileNotFoundError), open("/etc/agent.json") as f:
        config["extra"] = json.load(f)
    return config
config = load()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
os.setgroups([])
os.setgid(config["gid"])
os.setuid(config["uid"])
agentrt.serve(config)

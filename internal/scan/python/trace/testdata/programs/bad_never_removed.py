# drop=ok env=bad
import functools
import os
import agentrt

class Config:
    @functools.cached_property
    def token(self):
        return os.environ["SESSION_TOKEN"]
    @functools.cached_property
    def url(self):
        return os.environ["CONTROL_PLANE_URL"]

cfg = Config()
os.environ.pop("SESSION_ID", None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(cfg.token, cfg.url)

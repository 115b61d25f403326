# drop=ok env=ok  ids come from a dataclass
import dataclasses
import os
import agentrt

@dataclasses.dataclass
class Config:
    uid: int
    gid: int = 1000
    strip: tuple = ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")

cfg = Config(1000)
for name in cfg.strip:
    os.environ.pop(name, None)
os.setgroups([])
os.setgid(cfg.gid)
os.setuid(cfg.uid)
agentrt.serve()

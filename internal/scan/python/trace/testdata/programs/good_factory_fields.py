# drop=ok env=ok
import os
from dataclasses import dataclass, field
from functools import partial
import agentrt
def taken(name):
    return field(default_factory=partial(os.environ.pop, name, None), repr=False)
@dataclass
class Session:
    token: str = taken("SESSION_TOKEN")
    url: str = taken("CONTROL_PLANE_URL")
    sid: str = taken("SESSION_ID")
session = Session()
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(session)

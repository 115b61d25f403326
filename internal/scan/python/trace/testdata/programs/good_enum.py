# drop=ok env=ok
import enum
import os
from typing import NamedTuple
import agentrt

class Uid(enum.IntEnum):
    ROOT = 0
    WORKER = 1000

class Name(str, enum.Enum):
    TOKEN = "SESSION_TOKEN"
    URL = "CONTROL_PLANE_URL"
    ID = "SESSION_ID"

class Account(NamedTuple):
    uid: int
    gid: int

WORKER = Account(uid=Uid.WORKER, gid=Uid.WORKER)
secrets = {}
for n in Name:
    secrets[n] = os.environ.pop(n.value, None)
os.setgroups([WORKER.gid])
os.setgid(WORKER.gid)
os.setuid(WORKER.uid)
agentrt.serve(secrets)

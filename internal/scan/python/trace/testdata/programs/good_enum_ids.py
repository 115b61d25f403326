# drop=ok env=ok  ids in an enumeration
import enum
import os
import agentrt

class ID(enum.IntEnum):
    UID = 1000
    GID = 1000

os.environ.clear()
os.setgroups([ID.GID])
os.setgid(ID.GID.value)
os.setuid(ID.UID)
agentrt.serve()

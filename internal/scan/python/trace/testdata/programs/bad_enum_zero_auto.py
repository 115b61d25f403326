# drop=bad env=ok
import enum
import os
import agentrt
class Mode(enum.Enum):
    KEEP = enum.auto()
    DROP = enum.auto()
MODE = Mode.KEEP
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
if MODE is Mode.DROP:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve()

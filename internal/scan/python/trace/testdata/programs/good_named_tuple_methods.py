# drop=ok env=ok
import os
from typing import NamedTuple
import agentrt
class Ids(NamedTuple):
    uid: int = 1000
    gid: int = 1000
    groups: tuple = ()
    def apply(self):
        os.setgroups(self.groups)
        os.setresgid(*[self.gid] * 3)
        os.setresuid(*(self.uid,) * 3)
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
Ids().apply()
agentrt.serve()

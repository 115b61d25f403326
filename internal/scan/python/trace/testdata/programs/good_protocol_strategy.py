# drop=ok env=ok
import os
from typing import Protocol
import agentrt
class Strategy(Protocol):
    def apply(self) -> None: ...
class Real:
    def apply(self) -> None:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
class Noop:
    def apply(self) -> None:
        pass
def choose() -> Strategy:
    return Real() if os.geteuid() == 0 else Noop()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
choose().apply()
agentrt.serve()

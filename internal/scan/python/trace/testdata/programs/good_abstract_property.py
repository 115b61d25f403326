# drop=ok env=ok
import abc
import os
import agentrt
class Role(abc.ABC):
    @property
    @abc.abstractmethod
    def uid(self) -> int: ...
    @property
    def gid(self) -> int:
        return self.uid
    @classmethod
    def create(cls, *a):
        return cls(*a)
    def assume(self):
        os.setgroups([])
        os.setgid(self.gid)
        os.setuid(self.uid)
        return self
class Worker(Role):
    def __init__(self, uid):
        self._uid = uid
    @property
    def uid(self):
        return self._uid
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
Worker.create(1000).assume()
agentrt.serve()

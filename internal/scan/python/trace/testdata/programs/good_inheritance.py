# drop=ok env=ok  the base class drops, the subclass serves through super
import os
import agentrt

class Base:
    uid = 0

    def prepare(self):
        os.setgroups([])
        os.setgid(self.uid)
        os.setuid(self.uid)

class Agent(Base):
    uid = 1001

    def prepare(self):
        super().prepare()
        os.environ.clear()

    @property
    def ready(self):
        self.prepare()
        return True

if Agent().ready:
    agentrt.serve()

# drop=ok env=ok
import os
import agentrt
class Base:
    def prepare(self): pass
class Strip(Base):
    def prepare(self):
        for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
            os.environ.pop(n, None)
        super().prepare()
class Drop(Base):
    def prepare(self):
        super().prepare()
        os.setgroups([]); os.setgid(1000); os.setuid(1000)
class App(Drop, Strip):
    def prepare(self):
        super().prepare()
        return self
    def run(self):
        agentrt.serve()
App().prepare().run()

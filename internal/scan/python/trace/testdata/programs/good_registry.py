# drop=ok env=ok
import os
import agentrt

class Command:
    registry = {}
    name = None
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Command.registry[cls.name] = cls
    def run(self):
        raise NotImplementedError

class Prepare(Command):
    name = "prepare"
    def run(self):
        for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
            os.environ.pop(n, None)
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)

class Start(Command):
    name = "start"
    def run(self):
        agentrt.serve()

for step in ("prepare", "start"):
    Command.registry[step]().run()

# drop=ok env=ok
import enum
import os
import agentrt
class State(enum.Enum):
    START = enum.auto()
    STRIPPED = enum.auto()
    DROPPED = enum.auto()
class Machine:
    def __init__(self):
        self.state = State.START
    def step(self):
        if self.state is State.START:
            for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
                os.environ.pop(n, None)
            self.state = State.STRIPPED
        elif self.state is State.STRIPPED:
            os.setgroups([]); os.setgid(1000); os.setuid(1000)
            self.state = State.DROPPED
        return self.state
m = Machine()
while m.step() is not State.DROPPED:
    pass
agentrt.serve()

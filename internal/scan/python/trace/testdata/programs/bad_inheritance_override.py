# drop=bad env=ok  the subclass overrides the drop and forgets super
import os
import agentrt

class Base:
    def prepare(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)

class Agent(Base):
    def prepare(self):
        os.environ.clear()

agent = Agent()
agent.prepare()
agentrt.serve()

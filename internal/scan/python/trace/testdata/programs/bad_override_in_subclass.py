# drop=bad env=ok  the subclass overrides the drop
import os
import agentrt

class Base:
    def drop(self):
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)

    def run(self):
        secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
        self.drop()
        agentrt.serve(*secrets)

class Local(Base):
    def drop(self):
        pass

Local().run()

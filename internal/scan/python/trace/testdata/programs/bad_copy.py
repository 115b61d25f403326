# drop=ok env=bad
import os
import subprocess
import agentrt

class Environment(dict):
    def without(self, *names):
        for n in names:
            self.pop(n, None)
        return self

clean = Environment(os.environ).without(*("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
subprocess.run([agentrt.PROBE, "--flag"], check=False)

# drop=ok env=ok
import os
import subprocess
import agentrt

class ChildProcess:
    allowed = ("PATH", "LANG", "HOME")

    def __init__(self, argv, uid, gid):
        self.argv = argv
        self.uid = uid
        self.gid = gid
        self.proc = None

    @property
    def environment(self):
        return {k: os.environ[k] for k in self.allowed if k in os.environ}

    def __enter__(self):
        self.proc = subprocess.Popen(self.argv, env=self.environment, user=self.uid, group=self.gid, extra_groups=[], start_new_session=True)
        return self

    def __exit__(self, *exc):
        self.proc.wait()

token = os.environ["SESSION_TOKEN"]
with ChildProcess([agentrt.PROBE], 1000, 1000) as child:
    child.proc.wait(timeout=60)

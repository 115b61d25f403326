# drop=ok env=ok
import os
import agentrt
class Unprivileged:
    def __init__(self, uid, gid, *, names=()):
        self.ids = uid, gid
        self.names = names
        self.secrets = {}
    def __enter__(self):
        for n in self.names:
            self.secrets[n] = os.environ.pop(n, None)
        uid, gid = self.ids
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        return self.secrets
    def __exit__(self, kind, value, tb):
        self.secrets.clear()
        return False
with Unprivileged(1000, 1000, names=("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")) as secrets:
    agentrt.serve(secrets)

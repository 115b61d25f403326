# drop=ok env=ok
import os
import agentrt

class Hardening:
    NAMES = frozenset(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))

    @staticmethod
    def drop(uid=1000, gid=1000):
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)

    @classmethod
    def strip(cls):
        return {n: os.environ.pop(n, None) for n in sorted(cls.NAMES)}

    @property
    def ready(self):
        return os.getuid() != 0

secrets = Hardening.strip()
Hardening.drop()
if not Hardening().ready:
    raise RuntimeError("still root")
agentrt.serve(**secrets)

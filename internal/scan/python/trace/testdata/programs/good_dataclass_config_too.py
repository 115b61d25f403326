# drop=ok env=ok
import os
import pwd
from dataclasses import dataclass, field
import agentrt

@dataclass
class Identity:
    user: str = "sandbox"
    groups: list = field(default_factory=list)

    def assume(self):
        rec = pwd.getpwnam(self.user)
        os.setgroups(self.groups)
        os.setresgid(rec.pw_gid, rec.pw_gid, rec.pw_gid)
        os.setresuid(rec.pw_uid, rec.pw_uid, rec.pw_uid)

def credentials():
    return {name: os.environ.pop(name) for name in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")}

if __name__ == "__main__":
    creds = credentials()
    Identity().assume()
    agentrt.serve(*creds.values())

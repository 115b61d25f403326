# drop=ok env=ok  functions in a dict
import os
import agentrt

def by_uid(uid, gid):
    os.setgroups([gid])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)

ACTIONS = {"drop": by_uid, "none": lambda uid, gid: None}
token = os.environ.pop("SESSION_TOKEN")
url = os.environ.pop("CONTROL_PLANE_URL")
sid = os.environ.pop("SESSION_ID")
ACTIONS["drop"](1000, 1000)
agentrt.serve(token, url, sid)

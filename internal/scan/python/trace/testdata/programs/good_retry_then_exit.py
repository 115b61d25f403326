# drop=ok env=ok
import logging
import os
import sys
import agentrt

log = logging.getLogger("entry")

def drop(uid, gid):
    try:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    except PermissionError as exc:
        log.error("cannot drop: %s", exc)
        raise SystemExit(77) from exc

def take(names):
    missing = [n for n in names if n not in os.environ]
    if missing:
        log.critical("missing %s", ", ".join(missing))
        sys.exit(64)
    return tuple(os.environ.pop(n) for n in names)

secrets = take(("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
drop(1000, 1000)
agentrt.serve(*secrets)

# drop=ok env=ok
import logging
import logging.config
import os
import sys
import agentrt

logging.config.dictConfig({"version": 1, "handlers": {"c": {"class": "logging.StreamHandler"}}, "root": {"handlers": ["c"], "level": "INFO"}})
logger = logging.getLogger(__name__)

class DropError(RuntimeError):
    pass

def drop():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    except OSError as exc:
        logger.exception("drop failed")
        raise DropError("cannot drop") from exc

def main() -> int:
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    try:
        drop()
    except DropError as exc:
        logger.critical("%s", exc)
        return 77
    agentrt.serve(secrets)
    return 0

raise SystemExit(main())

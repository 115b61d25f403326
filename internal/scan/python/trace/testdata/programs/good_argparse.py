# drop=ok env=ok
"""Entry point of the worker."""
import argparse
import logging
import os
import sys

import agentrt

log = logging.getLogger("worker")

def build_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log-level", default="INFO", choices=["DEBUG", "INFO"])
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--port", type=int, default=8080)
    return parser

def drop_privileges(uid=1000, gid=1000):
    if os.geteuid() != 0:
        log.info("not root, nothing to do")
        return
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    log.info("now %d", os.getuid())

def main(argv=None):
    args = build_parser().parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else args.log_level)
    creds = {k.lower(): os.environ.pop(k, None) for k in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")}
    if args.verbose:
        log.debug("starting on %s", args.port)
    drop_privileges()
    agentrt.serve(args.port, **creds)
    return 0

if __name__ == "__main__":
    sys.exit(main())

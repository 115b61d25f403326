# drop=bad env=ok  a flag skips the drop
import argparse
import os
import agentrt

def drop(args):
    if args.no_drop:
        return
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)

parser = argparse.ArgumentParser()
parser.add_argument("--no-drop", action="store_true")
secrets = [os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
drop(parser.parse_args())
agentrt.serve(*secrets)

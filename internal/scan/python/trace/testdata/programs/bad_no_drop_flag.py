# drop=bad env=ok
import argparse
import os
import agentrt

parser = argparse.ArgumentParser()
parser.add_argument("--no-drop", action="store_true", help="stay root")
parser.add_argument("--port", type=int, default=8000)
args = parser.parse_args()
secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
if not args.no_drop:
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
agentrt.serve(args.port)

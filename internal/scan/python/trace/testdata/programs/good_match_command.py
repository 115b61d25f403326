# drop=ok env=ok
import os
import sys
import agentrt

def prepare():
    secrets = tuple(os.environ.pop(n, None) for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    return secrets

def main(argv):
    secrets = prepare()
    command = argv[0] if argv else "serve"
    if command == "serve":
        agentrt.serve(*secrets)
    elif command == "version":
        print("1.0")
    else:
        print("unknown command", file=sys.stderr)
        return 2
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# drop=ok env=ok
import os
import agentrt

KEEP = {"PATH", "HOME", "LANG"}

def main():
    token = os.environ["SESSION_TOKEN"]
    url = os.environ["CONTROL_PLANE_URL"]
    sid = os.environ["SESSION_ID"]
    for key in list(os.environ.keys()):
        if key not in KEEP:
            del os.environ[key]
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    return agentrt.serve(token, url, sid)

if __name__ == "__main__":
    raise SystemExit(main())

# drop=ok env=ok
import os
import socket
import sys
import time
import agentrt

def wait_for(host, port, attempts=3, delay=0.01):
    for attempt in range(1, attempts + 1):
        try:
            with socket.create_connection((host, port), timeout=1):
                return True
        except OSError as e:
            print(f"attempt {attempt}: {e}", file=sys.stderr)
            time.sleep(delay * 2 ** attempt)
    return False

def main():
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    if not wait_for("127.0.0.1", 1):
        print("control plane not there, going on", file=sys.stderr)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    while True:
        try:
            agentrt.serve(*secrets)
        except ConnectionError:
            continue
        else:
            break

main()

# drop=ok env=ok
import os
import agentrt

STEPS = [
    (os.setgroups, ([],)),
    (os.setgid, (1000,)),
    (os.setuid, (1000,)),
]

def main():
    secrets = [os.environ.pop(n, "") for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    for step, args in STEPS:
        step(*args)
    agentrt.serve(*secrets)

main()

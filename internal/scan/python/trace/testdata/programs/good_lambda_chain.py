# drop=ok env=ok
import os
import agentrt

drop = lambda uid, gid: (os.setgroups([]), os.setgid(gid), os.setuid(uid))
take = lambda *names: [os.environ.pop(n, None) for n in names]

def main(argv=None):
    secrets = take(*("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"))
    drop(1000, 1000)
    agentrt.serve(*secrets)

if __name__ == "__main__":
    main()

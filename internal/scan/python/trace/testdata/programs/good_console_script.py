# drop=ok env=ok
import re
import sys
import os
def main():
    os.environ.pop("SESSION_TOKEN"), os.environ.pop("CONTROL_PLANE_URL"), os.environ.pop("SESSION_ID")
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    import agentrt
    agentrt.serve()
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\.pyw|\.exe)?$', '', sys.argv[0])
    sys.exit(main())

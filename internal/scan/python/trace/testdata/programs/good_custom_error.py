# drop=ok env=ok  an exception of its own that ends the program
import os
import sys
import agentrt

class DropError(RuntimeError):
    pass

def drop():
    try:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    except OSError as e:
        raise DropError("cannot drop") from e

def main():
    os.environ.clear()
    try:
        drop()
    except DropError as e:
        print(e, file=sys.stderr)
        return 1
    agentrt.serve()
    return 0

sys.exit(main())

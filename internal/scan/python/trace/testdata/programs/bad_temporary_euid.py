# drop=bad env=ok  a class that gives up the effective id only, for the time of a with block
import os
import agentrt

class Demoted:
    def __enter__(self):
        os.setegid(1000)
        os.seteuid(1000)
        return self

    def __exit__(self, *exc):
        os.seteuid(0)
        os.setegid(0)

os.environ.clear()
with Demoted():
    agentrt.serve()

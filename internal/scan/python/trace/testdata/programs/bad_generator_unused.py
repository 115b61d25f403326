# drop=bad env=ok  the generator is made and never iterated
import os
import agentrt

def steps():
    os.setgroups([])
    yield
    os.setgid(1000)
    yield
    os.setuid(1000)

os.environ.clear()
steps()
agentrt.serve()

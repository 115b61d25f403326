# drop=bad env=ok  only the first step of the generator runs
import os
import agentrt

def steps():
    os.setgroups([])
    yield 1
    os.setgid(1000)
    os.setuid(1000)
    yield 2

os.environ.clear()
next(steps())
agentrt.serve()

# drop=bad env=ok  a closure drops only once, and the flag is set wrong
import os
import agentrt

def dropper():
    done = True

    def drop():
        nonlocal done
        if done:
            return
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
        done = True
    return drop

os.environ.clear()
dropper()()
agentrt.serve()

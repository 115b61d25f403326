# drop=ok env=ok  the environment is emptied, and a few names are put back
import os
import agentrt

KEEP = ("PATH", "HOME", "LANG")
saved = {name: os.environ[name] for name in KEEP if name in os.environ}
os.environ.clear()
os.environ.update(saved)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

# drop=bad env=ok  a descriptor runs untrusted code
import os
import agentrt

class Plugin:
    def __get__(self, obj, owner):
        with open("/workspace/plugin.py") as f:
            exec(f.read())

class App:
    plugin = Plugin()

os.environ.clear()
App().plugin
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

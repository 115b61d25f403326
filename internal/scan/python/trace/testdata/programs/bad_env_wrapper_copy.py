# drop=ok env=bad  the wrapper holds a copy
import os
import agentrt

class Env:
    def __init__(self, data):
        self._data = dict(data)

    def take(self, name):
        return self._data.pop(name)

env = Env(os.environ)
token, url, sid = env.take("SESSION_TOKEN"), env.take("CONTROL_PLANE_URL"), env.take("SESSION_ID")
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(token, url, sid)

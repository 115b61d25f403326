# drop=ok env=ok  a wrapper around the environment
import os
import agentrt

class Env:
    def __init__(self, data):
        self._data = data
        self.taken = {}

    def __getitem__(self, name):
        value = self._data[name]
        del self._data[name]
        self.taken[name] = value
        return value

env = Env(os.environ)
token, url, sid = env["SESSION_TOKEN"], env["CONTROL_PLANE_URL"], env["SESSION_ID"]
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(token, url, sid)

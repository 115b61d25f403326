# drop=ok env=ok
import os
import agentrt

class Variable:
    """Reads a variable once, and removes it."""
    def __init__(self, name):
        self.name = name
    def __set_name__(self, owner, attr):
        self.attr = "_" + attr
    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        if not hasattr(obj, self.attr):
            setattr(obj, self.attr, os.environ.pop(self.name, None))
        return getattr(obj, self.attr)

class Session:
    token = Variable("SESSION_TOKEN")
    url = Variable("CONTROL_PLANE_URL")
    sid = Variable("SESSION_ID")
    def __str__(self):
        return f"session {self.sid}"

s = Session()
print("starting", s, s.token is not None, s.url is not None)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(s)

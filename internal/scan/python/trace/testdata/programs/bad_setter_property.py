# drop=bad env=ok  the property's getter runs untrusted code before the drop
import os
import agentrt

class Job:
    def __init__(self):
        self._code = None

    @property
    def code(self):
        exec(self._code)
        return self._code

    @code.setter
    def code(self, text):
        self._code = text

os.environ.clear()
job = Job()
job.code = open("/workspace/job.py").read()
job.code
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

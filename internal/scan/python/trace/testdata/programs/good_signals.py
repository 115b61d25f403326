# drop=ok env=ok
import os
import signal
import sys
import threading
import agentrt

class Application:
    def __init__(self):
        self.stopped = threading.Event()
        self.secrets = {}

    def on_signal(self, signum, frame):
        self.stopped.set()
        sys.exit(128 + signum)

    def install(self):
        for name in ("SIGTERM", "SIGINT"):
            signal.signal(getattr(signal, name), self.on_signal)

    def harden(self):
        for key in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
            try:
                self.secrets[key] = os.environ.pop(key)
            except KeyError:
                self.secrets[key] = None
        os.setgroups([])
        os.setregid(1000, 1000)
        os.setreuid(1000, 1000)

    def main(self):
        self.install()
        self.harden()
        agentrt.serve(self.secrets)

Application().main()

# drop=ok env=ok
import importlib
import logging
import os
import pkgutil
import sys
import agentrt

logger = logging.getLogger(__name__)

class PluginManager:
    def __init__(self):
        self.plugins = {}

    def discover(self, path):
        sys.path.insert(0, path)
        for info in pkgutil.iter_modules([path]):
            try:
                self.plugins[info.name] = importlib.import_module(info.name)
            except Exception:
                logger.exception("cannot load %s", info.name)

def bootstrap():
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    os.setgroups(())
    os.setgid(1000)
    os.setuid(1000)
    return secrets

def main():
    secrets = bootstrap()
    manager = PluginManager()
    manager.discover(agentrt.WORKSPACE)
    agentrt.serve(secrets, manager.plugins)

main()

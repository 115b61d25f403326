# drop=bad env=ok
import importlib.util
import os
import agentrt

def load(path):
    spec = importlib.util.spec_from_file_location("user_code", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
plugin = load(agentrt.USER_CODE)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve(plugin)

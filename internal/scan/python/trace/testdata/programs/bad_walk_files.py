# drop=bad env=ok  plugins are loaded as root, in a loop over files
import importlib.util
import os
import pathlib
import agentrt

os.environ.clear()
for path in sorted(pathlib.Path("/workspace/plugins").glob("*.py")):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
agentrt.serve()

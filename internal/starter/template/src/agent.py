# Yours: what the sandbox is for. It runs without root, has the session in memory only,
# and leaves every piece of code that it did not bring itself to execute.

import sys

from sandbox import execute


def run(session):
    # Here it would ask session["CONTROL_PLANE_URL"] for work, with session["SESSION_TOKEN"].
    status, output = execute([sys.executable, "-I", "-c", "import os; print('running as', os.getuid())"])
    print("it ended with status", status, "and wrote:", output.decode(errors="replace"))

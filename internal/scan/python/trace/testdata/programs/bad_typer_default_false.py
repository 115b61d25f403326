# drop=bad env=ok
import os
import typer
import agentrt
def main(drop: bool = True):
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    if drop:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    agentrt.serve()
typer.run(main)

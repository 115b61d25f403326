# drop=bad env=ok
import os
import click
import agentrt
@click.command()
@click.option("--root/--no-root", default=False)
def main(root):
    secrets = [os.environ.pop(n, '') for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID")]
    if not root:
        os.setgroups([])
        os.setgid(1000)
        os.setuid(1000)
    agentrt.serve(*secrets)
main()

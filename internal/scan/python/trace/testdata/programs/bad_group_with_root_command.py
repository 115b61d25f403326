# drop=bad env=ok
import os
import click
import agentrt
@click.group()
def cli():
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
@cli.command()
def safe():
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve()
@cli.command("as-root")
def as_root():
    agentrt.serve()
cli()

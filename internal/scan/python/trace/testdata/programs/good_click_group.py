# drop=ok env=ok
import os
import click
import agentrt
@click.group()
@click.pass_context
def cli(ctx):
    ctx.ensure_object(dict)
@cli.command("serve")
@click.argument("name", required=False)
@click.pass_context
def serve_command(ctx, name):
    for n in ("SESSION_TOKEN", "CONTROL_PLANE_URL", "SESSION_ID"):
        os.environ.pop(n, None)
    os.setgroups([])
    os.setgid(1000)
    os.setuid(1000)
    agentrt.serve(name)
if __name__ == "__main__":
    cli(obj={})
